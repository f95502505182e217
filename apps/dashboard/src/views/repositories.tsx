import { type List, type Repository } from '../api/answers.js';
import { type Api, withQuery } from '../api/api.js';
import { valuesOf } from '../parts/form-values.js';
import { Pager } from '../parts/pager.js';
import { Empty, Showing } from '../parts/notice.js';
import { pageOf } from '../state/page.js';
import { linkTo } from '../state/route.js';
import { useLoad } from '../state/use-load.js';
import { loadStates, type RepositoryState } from './repository-states.js';
import { RepositoryCard } from './repository-card.js';

const POLL_MS = 10_000;
const PAGE_SIZE = 12;

export function Repositories({ query }: { query: Record<string, string> }) {
  const page = pageOf(query);
  const path = withQuery('api/v1/repositories', {
    limit: PAGE_SIZE,
    offset: page * PAGE_SIZE,
    search: query.project,
    sort: 'project_path',
  });
  const loaded = useLoad(path, (api, signal) => loadPage(api, path, signal), POLL_MS);
  return (
    <>
      <h1>Repositories</h1>
      <form class="filters" onSubmit={find}>
        <label class="field">
          Project
          <input
            name="project"
            type="search"
            placeholder="any part of its path"
            defaultValue={query.project ?? ''}
          />
        </label>
        <button type="submit">Find</button>
      </form>
      <Showing of={loaded}>
        {({ states, total }) =>
          total === 0 ? (
            <NoRepositories isFiltered={Boolean(query.project)} />
          ) : (
            <>
              <ul class="cards">
                {states.map((state) => (
                  <RepositoryCard key={state.repository.id} state={state} onChange={loaded.reload} />
                ))}
              </ul>
              <Pager
                page={page}
                pageSize={PAGE_SIZE}
                total={total}
                linkToPage={(to) => linkTo('repositories', { ...query, page: String(to) })}
              />
            </>
          )
        }
      </Showing>
    </>
  );
}

function NoRepositories({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title="No repository has this in its path.">
        <p>
          <a href={linkTo('repositories')}>Show all</a>
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No repository is registered yet.">
      <p>
        <code>POST api/v1/repositories</code> registers one; the <a href="docs">API description</a> has the
        request.
      </p>
    </Empty>
  );
}

function find(event: Event): void {
  event.preventDefault();
  location.hash = linkTo('repositories', valuesOf(event));
}

async function loadPage(
  api: Api,
  path: string,
  signal: AbortSignal,
): Promise<{ states: RepositoryState[]; total: number }> {
  const { items, total } = await api.get<List<Repository>>(path, signal);
  return { states: await loadStates(api, items, signal), total };
}
