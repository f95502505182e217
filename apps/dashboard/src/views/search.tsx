import { type List, type SearchHit } from '../api/answers.js';
import { valuesOf } from '../parts/form-values.js';
import { Empty, Showing } from '../parts/notice.js';
import { shortCommit } from '../parts/format.js';
import { Select } from '../parts/select.js';
import { linkTo } from '../state/route.js';
import { useLoad } from '../state/use-load.js';
import { repositoryOptions, useRepositoryNames } from '../state/use-repository-names.js';

const LIMIT = 20;

export function Search({ query }: { query: Record<string, string> }) {
  const names = useRepositoryNames(query.repository ? [query.repository] : []);
  const ask = (event: Event): void => {
    event.preventDefault();
    location.hash = linkTo('search', valuesOf(event));
  };
  return (
    <>
      <h1>Search</h1>
      <form class="filters" role="search" onSubmit={ask}>
        <label class="field wide">
          Words
          <input name="q" type="search" required maxLength={1000} defaultValue={query.q ?? ''} />
        </label>
        <Select
          label="Repository"
          name="repository"
          value={query.repository}
          options={repositoryOptions(names, query.repository)}
        />
        <label class="field">
          Below folder
          <input name="path" defaultValue={query.path ?? ''} placeholder="src/" />
        </label>
        <button type="submit" class="primary">
          Search
        </button>
      </form>
      {query.q ? (
        <Hits words={query.q} repositoryId={query.repository} pathPrefix={query.path} />
      ) : (
        <Empty title="Ask the index in your own words.">
          <p>What is found are pieces of files, the nearest first.</p>
        </Empty>
      )}
    </>
  );
}

interface HitsProps {
  words: string;
  repositoryId: string | undefined;
  pathPrefix: string | undefined;
}

function Hits({ words, repositoryId, pathPrefix }: HitsProps) {
  const hits = useLoad(JSON.stringify([words, repositoryId, pathPrefix]), (api, signal) =>
    api.post<List<SearchHit>>(
      'api/v1/search',
      {
        query: words,
        limit: LIMIT,
        ...(repositoryId && { repository_ids: [repositoryId] }),
        ...(pathPrefix && { path_prefix: pathPrefix }),
      },
      signal,
    ),
  );
  return (
    <Showing of={hits}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title="Nothing is like this.">
            <p>Has the repository been synced? Fewer or other words may help.</p>
          </Empty>
        ) : (
          <ol class="hits">
            {items.map((hit) => (
              <Hit key={`${hit.repository_id} ${hit.path} ${hit.start_line}`} hit={hit} />
            ))}
          </ol>
        )
      }
    </Showing>
  );
}

function Hit({ hit }: { hit: SearchHit }) {
  const place = `${hit.path}:${hit.start_line}-${hit.end_line}`;
  return (
    <li class="panel">
      <h2>
        <code class="breaking">{place}</code>
      </h2>
      <p class="faint">
        {hit.project_path} @ {hit.branch}, {hit.language ?? 'unknown language'}, at{' '}
        <code>{shortCommit(hit.commit)}</code>, score {hit.score.toFixed(3)}
      </p>
      <pre tabIndex={0} role="region" aria-label={place}>
        {hit.text}
      </pre>
    </li>
  );
}
