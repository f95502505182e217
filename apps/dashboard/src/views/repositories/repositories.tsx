import { useState } from 'preact/hooks';
import { type Input } from '../../api/schema.js';
import { DataTable } from '../../parts/data-table.js';
import { Select, TextField, valuesOf } from '../../parts/forms.js';
import { Empty, LoadableList } from '../../parts/loadable.js';
import { ATTENTION_STATES, STATE_NAMES, type StateName } from '../../parts/state-badge.js';
import { linkTo, pageOf } from '../../state/route.js';
import { useSession } from '../../state/session.js';
import { useApi } from '../../state/use-load.js';
import { BulkActions } from './bulk-actions.js';
import { columnsFor, nameOf } from './columns.js';

type Query = Record<string, string>;
type Sort = NonNullable<Input<'get', '/api/v1/repository-states'>['query']>['sort'];

const POLL_MS = 10_000;
const PAGE_SIZE = 50;
const DEFAULT_SORT = 'state';

/** All repositories with their states. The URL holds filters, order and page. */
export function Repositories({ query }: { query: Query }) {
  const page = pageOf(query.page);
  const sort = query.sort ?? DEFAULT_SORT;
  const session = useSession();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const states = useApi(
    '/api/v1/repository-states',
    {
      query: {
        limit: PAGE_SIZE,
        offset: page * PAGE_SIZE,
        // The service rejects other values, and the page shows why.
        sort: sort as Sort,
        state: query.state ? [query.state as StateName] : undefined,
        search: query.search,
        group: query.group,
      },
    },
    POLL_MS,
  );
  const isFiltered = Boolean(query.state ?? query.search ?? query.group);
  const linkWith = (changes: Query) => linkTo('repositories', { ...query, page: '', ...changes });
  return (
    <>
      <div class="row between">
        <h1>Repositories</h1>
        {session.can('admin') && (
          <a class="button primary" href={linkTo('setup/repository')}>
            Add a repository
          </a>
        )}
      </div>
      <Filters query={query} isFiltered={isFiltered} />
      <LoadableList
        of={states}
        empty={<NoRepositories isFiltered={isFiltered} />}
        pager={{ page, pageSize: PAGE_SIZE, linkToPage: (to) => linkWith({ page: String(to) }) }}
      >
        {(items) => (
          <>
            <BulkActions
              items={items.filter(({ repository_id }) => chosen.has(repository_id))}
              onDone={() => {
                setChosen(new Set());
                states.reload();
              }}
            />
            <DataTable
              caption="Repositories"
              rows={items}
              keyOf={({ repository_id }) => repository_id}
              columns={columnsFor(states.reload)}
              sort={sort}
              linkToSort={(by) => linkWith({ sort: by })}
              {...(session.can('operator') && { choice: { chosen, set: setChosen, nameOf } })}
            />
          </>
        )}
      </LoadableList>
    </>
  );
}

function Filters({ query, isFiltered }: { query: Query; isFiltered: boolean }) {
  const apply = (event: Event): void => {
    event.preventDefault();
    location.hash = linkTo('repositories', { ...valuesOf(event), sort: query.sort });
  };
  const field = (name: string) => ({ name, type: 'search', defaultValue: query[name] ?? '' }) as const;
  return (
    <form class="filters" aria-label="Filters" onChange={apply} onSubmit={apply}>
      <Select
        label="State"
        name="state"
        value={query.state}
        options={[
          [ATTENTION_STATES.join(), 'needs attention'],
          ...STATE_NAMES.map((name) => [name, name] as const),
        ]}
      />
      <TextField label="Project" {...field('search')} placeholder="part of the path" />
      <TextField label="Group" {...field('group')} placeholder="platform/payments" />
      <button type="submit">Filter</button>
      {isFiltered && <a href={linkTo('repositories', { sort: query.sort })}>Clear filters</a>}
    </form>
  );
}

function NoRepositories({ isFiltered }: { isFiltered: boolean }) {
  const isAdmin = useSession().can('admin');
  if (isFiltered) {
    return (
      <Empty title="No repositories match these filters.">
        <a href={linkTo('repositories')}>Show all repositories</a>
      </Empty>
    );
  }
  return (
    <Empty title="No repositories yet.">
      {isAdmin ? (
        <>
          <a href={linkTo('setup/connect')}>Connect a GitLab</a> to register its projects, or{' '}
          <a href={linkTo('setup/repository')}>add one repository</a>.
        </>
      ) : (
        'An admin can connect a GitLab.'
      )}
    </Empty>
  );
}
