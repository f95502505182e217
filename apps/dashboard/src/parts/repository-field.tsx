import { useId, useRef, useState } from 'preact/hooks';
import { type Schemas } from '../api/schema.js';
import { useApi } from '../state/use-load.js';
import { TextField } from './forms.js';

const SUGGESTED = 20;

/** Names a repository in text. */
export const nameOf = ({ project_path, branch }: { project_path: string; branch: string }): string =>
  `${project_path} @ ${branch}`;

/** The name of the repository with an id, also of a deleted one; the id itself until it is known. */
export function useRepositoryName(repositoryId: string | undefined): string {
  const { data } = useApi(repositoryId ? '/api/v1/repositories' : null, {
    query: { id: repositoryId ? [repositoryId] : undefined, include_deleted: true },
  });
  const [found] = data?.items ?? [];
  return found ? `${nameOf(found)}${found.deleted_at === null ? '' : ' (deleted)'}` : (repositoryId ?? '');
}

/** Chooses one of many repositories: typing searches their paths. The form gets its id as `repository`. */
export function RepositoryField({ value = '' }: { value: string | undefined }) {
  const listId = useId();
  const chosen = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const [search] = typed.split(' @ ');
  const { data } = useApi('/api/v1/repositories', {
    query: { search: search || undefined, sort: 'project_path', limit: SUGGESTED },
  });
  const name = useRepositoryName(value || undefined);
  const choose = (text: string): void => {
    setTyped(text);
    const id = text === '' ? '' : idIn(data?.items ?? [], text);
    if (chosen.current && id !== null) chosen.current.value = id;
  };
  return (
    <>
      <TextField
        // Another choice, also one by a link, replaces what was typed.
        key={`${value} ${name}`}
        label="Repository"
        type="search"
        list={listId}
        placeholder="All: type to search"
        autoComplete="off"
        defaultValue={name}
        onInput={(event) => choose(event.currentTarget.value)}
      />
      <datalist id={listId}>
        {(data?.items ?? []).map((repository) => (
          <option key={repository.id} value={nameOf(repository)} />
        ))}
      </datalist>
      <input ref={chosen} type="hidden" name="repository" value={value} />
    </>
  );
}

/** Null while the text names no repository. */
function idIn(repositories: readonly Schemas['RepositoryDto'][], text: string): string | null {
  return repositories.find((repository) => nameOf(repository) === text)?.id ?? null;
}
