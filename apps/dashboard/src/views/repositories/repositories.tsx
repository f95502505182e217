import { type Api } from '../../api/api.js';
import { type Schemas } from '../../api/schema.js';
import { TextField, valuesOf } from '../../parts/forms.js';
import { Empty, LoadableList } from '../../parts/loadable.js';
import { linkTo, pageOf } from '../../state/route.js';
import { useLoad } from '../../state/use-load.js';
import { RepositoryCard, type RepositoryState } from './repository-card.js';

const POLL_MS = 10_000;
const PAGE_SIZE = 12;
/** Runs and schedules loaded at once: usually enough for all repositories of a page. */
const BATCH_SIZE = 200;

export function Repositories({ query }: { query: Record<string, string> }) {
  const page = pageOf(query.page);
  const loaded = useLoad(
    JSON.stringify([page, query.project]),
    (api, signal) => loadStates(api, page, query.project, signal),
    POLL_MS,
  );
  const linkToPage = (to: number): string => linkTo('repositories', { ...query, page: to });
  return (
    <>
      <h1>Repositories</h1>
      <form class="filters" onSubmit={filter}>
        <TextField
          label="Project"
          name="project"
          type="search"
          placeholder="part of the path"
          defaultValue={query.project ?? ''}
        />
        <button type="submit">Filter</button>
      </form>
      <LoadableList
        of={loaded}
        empty={<NoRepositories isFiltered={Boolean(query.project)} />}
        pager={{ page, pageSize: PAGE_SIZE, linkToPage }}
      >
        {(states) => (
          <ul class="cards">
            {states.map((state) => (
              <RepositoryCard key={state.repository.id} state={state} onChange={loaded.reload} />
            ))}
          </ul>
        )}
      </LoadableList>
    </>
  );
}

function NoRepositories({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <Empty title="No repositories match this filter.">
      <a href={linkTo('repositories')}>Clear the filter</a>
    </Empty>
  ) : (
    <Empty title="No repositories yet.">
      Register one with <code>POST api/v1/repositories</code>; see the <a href="docs">API reference</a>.
    </Empty>
  );
}

function filter(event: Event): void {
  event.preventDefault();
  location.hash = linkTo('repositories', valuesOf(event));
}

/** One page of repositories with their schedules and last runs: three requests, unless there are many runs or schedules. */
async function loadStates(
  api: Api,
  page: number,
  search: string | undefined,
  signal: AbortSignal,
): Promise<{ items: RepositoryState[]; total: number }> {
  const executionsOf = (repository_id: string | undefined, limit: number) =>
    api.get('/api/v1/executions', { query: { repository_id, limit } }, signal);
  const schedulesOf = (repository_id: string | undefined) =>
    api.get('/api/v1/schedules', { query: { repository_id, limit: BATCH_SIZE } }, signal);
  const [repositories, executions, schedules] = await Promise.all([
    api.get(
      '/api/v1/repositories',
      { query: { limit: PAGE_SIZE, offset: page * PAGE_SIZE, search, sort: 'project_path' } },
      signal,
    ),
    executionsOf(undefined, BATCH_SIZE),
    schedulesOf(undefined),
  ]);
  const isOf = (id: string) => (row: { repository_id: string }) => row.repository_id === id;
  const lastRunOf = async (id: string): Promise<Schemas['ExecutionDto'] | undefined> => {
    const found = executions.items.find(isOf(id));
    return found || executions.total <= BATCH_SIZE ? found : (await executionsOf(id, 1)).items[0];
  };
  const items = repositories.items.map(async (repository) => ({
    repository,
    lastRun: (await lastRunOf(repository.id)) ?? null,
    schedules:
      schedules.total <= BATCH_SIZE
        ? schedules.items.filter(isOf(repository.id))
        : (await schedulesOf(repository.id)).items,
  }));
  return { items: await Promise.all(items), total: repositories.total };
}
