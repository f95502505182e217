import { useEffect, useState } from 'preact/hooks';
import { type Input, type Schemas } from '../../api/schema.js';
import { DataTable } from '../../parts/data-table.js';
import { FilterForm, Select, TextField } from '../../parts/forms.js';
import { Empty, LoadableList } from '../../parts/loadable.js';
import { nameOf } from '../../parts/repository-field.js';
import { ATTENTION_STATES, STATE_NAMES, type StateName } from '../../parts/state-badge.js';
import { linkTo, pageOf } from '../../state/route.js';
import { useSession } from '../../state/session.js';
import { useApi, useSteady } from '../../state/use-load.js';
import { BulkActions } from './bulk-actions.js';
import { ChooseMatching } from './choose-matching.js';
import { columnsFor } from './columns.js';

type Query = Record<string, string>;
type State = Schemas['RepositoryStateDto'];
type Sort = NonNullable<Input<'get', '/api/v1/repository-states'>['query']>['sort'];

const POLL_MS = 10_000;
const PAGE_SIZE = 50;
const DEFAULT_SORT = 'state';

/** All repositories with their states. The URL holds filters, order and page. */
export function Repositories({ query }: { query: Query }) {
  const page = pageOf(query.page);
  const sort = query.sort ?? DEFAULT_SORT;
  const session = useSession();
  // Also those of other pages.
  const [chosen, setChosen] = useState<ReadonlyMap<string, State>>(new Map());
  const filters = filtersOf(query);
  const filterKey = JSON.stringify(filters);
  useEffect(() => setChosen(new Map()), [filterKey]);
  const states = useSteady(
    useApi(
      '/api/v1/repository-states',
      {
        query: {
          limit: PAGE_SIZE,
          offset: page * PAGE_SIZE,
          // The service rejects other values, and the page shows why.
          sort: sort as Sort,
          ...filters,
        },
      },
      POLL_MS,
    ),
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
              items={[
                ...byId([
                  ...chosen.values(),
                  ...items.filter(({ repository_id: id }) => chosen.has(id)),
                ]).values(),
              ]}
              onDone={states.reload}
            >
              <ChooseMatching
                filters={filters}
                total={states.data?.total ?? 0}
                isOffered={items.every(({ repository_id }) => chosen.has(repository_id))}
                chosen={chosen.size}
                onDone={(all) => setChosen(byId(all))}
              />
            </BulkActions>
            <DataTable
              caption="Repositories"
              rows={items}
              keyOf={({ repository_id }) => repository_id}
              columns={columnsFor(states.reload)}
              sort={sort}
              linkToSort={(by) => linkWith({ sort: by })}
              {...(session.can('operator') && {
                choice: {
                  chosen: new Set(chosen.keys()),
                  set: (keys) => setChosen(chooseOf([...chosen.values(), ...items], keys)),
                  nameOf,
                },
              })}
            />
          </>
        )}
      </LoadableList>
    </>
  );
}

/** The filters of the API that the URL holds. */
function filtersOf({ state, search, group }: Query) {
  return { state: state ? [state as StateName] : undefined, search, group };
}

const byId = (rows: readonly State[]) => new Map(rows.map((row) => [row.repository_id, row]));

/** The rows with these keys; the newest of several. */
function chooseOf(rows: readonly State[], keys: ReadonlySet<string>): ReadonlyMap<string, State> {
  return byId(rows.filter(({ repository_id }) => keys.has(repository_id)));
}

function Filters({ query, isFiltered }: { query: Query; isFiltered: boolean }) {
  const field = (name: string) => ({ name, type: 'search', defaultValue: query[name] ?? '' }) as const;
  return (
    <FilterForm
      label="Filters"
      onChange={(values) => (location.hash = linkTo('repositories', { ...values, sort: query.sort }))}
    >
      <Select
        label="State"
        name="state"
        value={query.state}
        options={[
          [ATTENTION_STATES.join(), 'needs attention'],
          ...STATE_NAMES.map((name) => [name, name] as const),
        ]}
        hasAll
      />
      <TextField label="Project" {...field('search')} placeholder="part of the path" />
      <TextField label="Group" {...field('group')} placeholder="platform/payments" />
      <button type="submit">Filter</button>
      {isFiltered && <a href={linkTo('repositories', { sort: query.sort })}>Clear filters</a>}
    </FilterForm>
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
