import { useEffect, useRef, useState } from 'preact/hooks';
import { type Schemas } from '../api/schema.js';
import { valuesOf } from '../parts/forms.js';
import { Empty, Loadable } from '../parts/loadable.js';
import { useRepositoryName } from '../parts/repository-field.js';
import { Chips, Filters, type SearchQuery } from '../search/filters.js';
import { Hit } from '../search/hit.js';
import { useSearchKeys } from '../search/keyboard.js';
import { linkTo } from '../state/route.js';
import { useLoad, useSteady } from '../state/use-load.js';

const PAGE_SIZE = 20;
const MOST_HITS = 100;
/** How long typing must pause until the query is sent. */
const PAUSE_MS = 250;

/** The value in the address, and its title. */
const MODES = [
  ['', 'Words and meaning'],
  ['exact', 'Exact text'],
  ['exact-i', 'Exact text, any case'],
  ['regex', 'Regular expression'],
  ['regex-i', 'Regular expression, any case'],
] as const;

export function Search({ query }: { query: Record<string, string> }) {
  const repositoryName = useRepositoryName(query.repository);
  useSearchKeys();
  return (
    <>
      <h1 class="hidden">Search</h1>
      <QueryForm query={query} />
      <Chips query={query} repositoryName={repositoryName} />
      {query.q ? <Results key="results" query={query} /> : <Start />}
    </>
  );
}

function QueryForm({ query }: { query: SearchQuery }) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => () => clearTimeout(timer.current), []);
  // Opening another address, or going back to one, changes the text, except while the user types.
  useEffect(() => {
    if (input.current && document.activeElement !== input.current) input.current.value = query.q ?? '';
  }, [query.q]);
  const go = (changes: Record<string, string>): void => {
    clearTimeout(timer.current);
    // Replaces the entry of the browser's history: each letter would add one.
    location.replace(linkTo('search', { ...query, ...changes }));
  };
  const type = (event: Event): void => {
    const q = (event.currentTarget as HTMLInputElement).value.trim();
    clearTimeout(timer.current);
    timer.current = setTimeout(() => go({ q }), PAUSE_MS);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    go(valuesOf(event));
  };
  return (
    <form class="search-form" role="search" onSubmit={submit}>
      <input
        id="query"
        ref={input}
        name="q"
        type="search"
        aria-label="Query"
        placeholder="Search code by name or by meaning"
        autocomplete="off"
        spellcheck={false}
        maxLength={1000}
        defaultValue={query.q ?? ''}
        onInput={type}
      />
      <kbd aria-hidden="true">/</kbd>
      <input
        name="path"
        aria-label="Folder"
        placeholder="Folder, e.g. src/"
        defaultValue={query.path ?? ''}
      />
      <select
        name="mode"
        aria-label="How to search"
        onChange={(event) => go({ mode: event.currentTarget.value })}
      >
        {MODES.map(([mode, title]) => (
          <option key={mode} value={mode} selected={(query.mode ?? '') === mode}>
            {title}
          </option>
        ))}
      </select>
      <button type="submit" class="primary">
        Search
      </button>
    </form>
  );
}

function Results({ query }: { query: SearchQuery }) {
  const [limit, setLimit] = useState(PAGE_SIZE);
  const body = requestOf(query, limit);
  const hits = useSteady(
    useLoad(JSON.stringify(body), (api, signal) => api.post('/api/v1/search', { body }, signal)),
  );
  return (
    <Loadable of={hits}>
      {({ items, next_cursor: next, is_complete: isComplete, reranking, facets }) => (
        <div class="search-results">
          {items.length > 0 && (
            <details class="search-filters" open={innerWidth > 900}>
              <summary>Filters</summary>
              <Filters query={query} facets={facets} />
            </details>
          )}
          <div>
            <p class="faint search-count" role="status">
              {items.length === 0 ? '' : `${items.length}${next === null ? '' : ' best'} hits`}
              {!isComplete &&
                ' Stopped at a limit of time or size: choose a repository or a folder to see the rest.'}
              {reranking.status === 'failed' && (
                <span title={reranking.error ?? undefined}>
                  {' '}
                  The reranker failed: hits have the order without it.
                </span>
              )}
            </p>
            {items.length === 0 && <NothingFound query={query} />}
            <ol class="hits">
              {items.map((hit) => (
                <Hit key={`${hit.repository_id} ${hit.path} ${hit.start_line}`} hit={hit} />
              ))}
            </ol>
            {next !== null && limit < MOST_HITS && (
              <button type="button" onClick={() => setLimit(Math.min(MOST_HITS, limit + PAGE_SIZE))}>
                More hits
              </button>
            )}
          </div>
        </div>
      )}
    </Loadable>
  );
}

function requestOf({ q, mode = '', repository, path, language, kind }: SearchQuery, limit: number) {
  return {
    query: q!,
    limit,
    ...(mode !== '' && {
      mode: 'exact' as const,
      regex: mode.startsWith('regex'),
      ignore_case: mode.endsWith('-i'),
    }),
    ...(repository && { repository_ids: [repository] }),
    ...(path && { path_prefix: path }),
    ...(language && { language }),
    ...(isKind(kind) && { kinds: [kind] }),
  };
}

function isKind(kind: string | undefined): kind is Schemas['ContentKind'] {
  return kind !== undefined && ['code', 'docs', 'tests', 'config'].includes(kind);
}

function Start() {
  return (
    <Empty title="Search the code of all indexed repositories.">
      Type a name, such as <code>renewLease</code>, or a question, such as “where is the lease renewed”. Press{' '}
      <kbd>/</kbd> to type, <kbd>↓</kbd> and <kbd>↑</kbd> to choose a hit, <kbd>Enter</kbd> to open it on its
      host.
    </Empty>
  );
}

function NothingFound({ query }: { query: SearchQuery }) {
  const { q, mode, ...filters } = query;
  return (
    <Empty title="No results match this query.">
      {Object.values(filters).some(Boolean) && (
        <a href={linkTo('search', { q, mode })}>Search without filters</a>
      )}{' '}
      {mode && <a href={linkTo('search', { ...filters, q })}>Search by words and meaning</a>}{' '}
      <a href={linkTo('repositories')}>Check that the repository is registered and synced</a>
    </Empty>
  );
}
