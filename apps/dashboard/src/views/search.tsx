import { type Schemas } from '../api/schema.js';
import { Commit } from '../parts/elements.js';
import { Select, TextField, valuesOf } from '../parts/forms.js';
import { Empty, LoadableList } from '../parts/loadable.js';
import { linkTo } from '../state/route.js';
import { useLoad } from '../state/use-load.js';
import { useRepositoryNames } from '../state/use-repository-names.js';

const LIMIT = 20;

export function Search({ query }: { query: Record<string, string> }) {
  const names = useRepositoryNames([], query.repository);
  const submit = (event: Event): void => {
    event.preventDefault();
    location.hash = linkTo('search', valuesOf(event));
  };
  return (
    <>
      <h1>Search</h1>
      <form class="filters" role="search" onSubmit={submit}>
        <TextField
          label="Query"
          isWide
          name="q"
          type="search"
          required
          maxLength={1000}
          defaultValue={query.q ?? ''}
        />
        <Select label="Repository" name="repository" value={query.repository} options={names.options} />
        <TextField label="Folder" name="path" defaultValue={query.path ?? ''} placeholder="src/" />
        <button type="submit" class="primary">
          Search
        </button>
      </form>
      {query.q ? (
        <Hits
          request={{
            query: query.q,
            limit: LIMIT,
            ...(query.repository && { repository_ids: [query.repository] }),
            ...(query.path && { path_prefix: query.path }),
          }}
        />
      ) : (
        <Empty title="Describe the code you are looking for.">
          Results are chunks of files, the best match first.
        </Empty>
      )}
    </>
  );
}

function Hits({ request }: { request: Schemas['SearchRequestDto'] }) {
  const hits = useLoad(JSON.stringify(request), (api, signal) =>
    api.post('/api/v1/search', { body: request }, signal),
  );
  return (
    <LoadableList
      of={hits}
      empty={
        <Empty title="No results match this query.">
          Check that the repository has been synced, or try other words.
        </Empty>
      }
    >
      {(items) => (
        <ol class="hits">
          {items.map((hit) => (
            <Hit key={`${hit.repository_id} ${hit.path} ${hit.start_line}`} hit={hit} />
          ))}
        </ol>
      )}
    </LoadableList>
  );
}

function Hit({ hit }: { hit: Schemas['SearchHitDto'] }) {
  const place = `${hit.path}:${hit.start_line}-${hit.end_line}`;
  return (
    <li class="panel">
      <h2>
        <code class="breaking">{place}</code>
      </h2>
      <p class="faint">
        {hit.project_path} @ {hit.branch}, {hit.language ?? 'unknown language'}, at <Commit id={hit.commit} />
        , score {hit.score.toFixed(3)}
      </p>
      <pre tabIndex={0} role="region" aria-label={place}>
        {hit.text}
      </pre>
    </li>
  );
}
