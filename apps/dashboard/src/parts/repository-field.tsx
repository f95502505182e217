import { useEffect, useRef, useState } from 'preact/hooks';
import { useElementId } from './element-id.js';
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
  const listId = useElementId();
  const chosen = useRef<HTMLInputElement>(null);
  /** Null: what is chosen is shown. */
  const [typed, setTyped] = useState<string | null>(null);
  const [search] = (typed ?? '').split(' @ ');
  const { data } = useApi('/api/v1/repositories', {
    query: { search: search || undefined, sort: 'project_path', limit: SUGGESTED },
  });
  const name = useRepositoryName(value || undefined);
  useEffect(() => setTyped(null), [value]);
  useEffect(() => {
    const id = typed === '' ? '' : idIn(data?.items ?? [], typed);
    if (chosen.current === null || id === null || chosen.current.value === id) return;
    chosen.current.value = id;
    chosen.current.form?.requestSubmit();
  }, [typed, data]);
  return (
    <>
      <TextField
        label="Repository"
        type="search"
        list={listId}
        placeholder="All: type to search"
        autoComplete="off"
        value={typed ?? name}
        onInput={(event) => setTyped(event.currentTarget.value)}
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
function idIn(repositories: readonly Schemas['RepositoryDto'][], text: string | null): string | null {
  return repositories.find((repository) => nameOf(repository) === text)?.id ?? null;
}
