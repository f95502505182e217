import { withQuery } from '../../api/api.js';
import { type Execution, type Schemas, type Status } from '../../api/schema.js';
import { ActionButton } from '../../parts/action-button.js';
import { type Column } from '../../parts/data-table.js';
import { Badge, Instant, STATUSES } from '../../parts/elements.js';
import { formatDuration } from '../../parts/format.js';
import { FilterForm, Select, TextField } from '../../parts/forms.js';
import { Empty, LoadableTable } from '../../parts/loadable.js';
import { nameOf, RepositoryField } from '../../parts/repository-field.js';
import { linkTo, pageOf } from '../../state/route.js';
import { useApi, useSteady } from '../../state/use-load.js';

type Trigger = Schemas['ExecutionTrigger'];

const POLL_MS = 10_000;
const PAGE_SIZE = 25;
const TRIGGERS = ['cron', 'manual', 'webhook', 'recovery'] as const satisfies Trigger[];

export function History({ query }: { query: Record<string, string> }) {
  const page = pageOf(query.page);
  const filters = {
    // The service rejects other values, and the page shows why.
    status: query.status ? [query.status as Status] : undefined,
    trigger: query.trigger as Trigger | undefined,
    repository_id: query.repository,
    pod_name: query.pod,
    from: toInstant(query.from),
    to: toInstant(query.to),
  };
  const executions = useSteady(
    useApi(
      '/api/v1/executions',
      { query: { ...filters, limit: PAGE_SIZE, offset: page * PAGE_SIZE } },
      POLL_MS,
    ),
  );
  const isFiltered = Object.keys(query).some((name) => name !== 'page');
  const linkToPage = (to: number): string => linkTo('history', { ...query, page: to });
  return (
    <>
      <h1>History</h1>
      <Filters query={query} isFiltered={isFiltered} />
      <p>
        <DownloadButton query={filters} />
      </p>
      <LoadableTable
        of={executions}
        empty={
          <Empty title={isFiltered ? 'No runs match these filters.' : 'No runs yet.'}>
            {isFiltered && <a href={linkTo('history')}>Show all runs</a>}
          </Empty>
        }
        pager={{ page, pageSize: PAGE_SIZE, names: ['Newer', 'Older'], linkToPage }}
        caption="Runs, newest first"
        columns={COLUMNS}
      />
    </>
  );
}

/** Saves all runs that match, not only this page. A link could not send the token. */
function DownloadButton({ query }: { query: Readonly<Record<string, unknown>> }) {
  return (
    <ActionButton
      label="Download CSV"
      subject="Runs that match"
      role="viewer"
      done="downloaded."
      act={async (api) => {
        const path = withQuery('./api/v1/executions/export', { ...query, format: 'csv' });
        const file = URL.createObjectURL(await (await api.send(path, {})).blob());
        const link = Object.assign(document.createElement('a'), { href: file, download: 'executions.csv' });
        link.click();
        URL.revokeObjectURL(file);
      }}
      onDone={() => undefined}
    />
  );
}

/** The URL holds the filters, so that a view can be bookmarked and shared. */
function Filters({ query, isFiltered }: { query: Record<string, string>; isFiltered: boolean }) {
  const field = (name: string) => ({ name, defaultValue: query[name] ?? '' });
  return (
    <FilterForm label="Filters" onChange={(values) => (location.hash = linkTo('history', values))}>
      <Select
        label="Status"
        name="status"
        value={query.status}
        options={STATUSES.map((name) => [name, name])}
        hasAll
      />
      <Select
        label="Trigger"
        name="trigger"
        value={query.trigger}
        options={TRIGGERS.map((name) => [name, name])}
        hasAll
      />
      <RepositoryField value={query.repository} />
      <TextField label="Pod" {...field('pod')} type="search" placeholder="repotide-0" />
      <TextField label="From" {...field('from')} type="datetime-local" />
      <TextField label="To" {...field('to')} type="datetime-local" />
      {isFiltered && <a href={linkTo('history')}>Clear filters</a>}
    </FilterForm>
  );
}

const COLUMNS: readonly Column<Execution>[] = [
  {
    title: 'Repository',
    cell: (execution) => <a href={linkTo(`history/${execution.id}`)}>{nameOf(execution)}</a>,
  },
  {
    title: 'Status',
    cell: ({ status, error_code }) => (
      <>
        <Badge status={status} />{' '}
        {error_code !== null && <code class={status === 'completed' ? '' : 'bad'}>{error_code}</code>}
      </>
    ),
  },
  { title: 'Queued', cell: ({ queued_at }) => <Instant at={queued_at} /> },
  {
    title: 'Duration',
    isNumber: true,
    isExtra: true,
    cell: ({ duration_seconds }) => formatDuration(duration_seconds),
  },
  { title: 'Files', isNumber: true, isExtra: true, cell: ({ files_processed }) => files_processed },
  { title: 'Chunks', isNumber: true, isExtra: true, cell: ({ chunks_upserted }) => chunks_upserted },
  {
    title: 'Trigger',
    isExtra: true,
    cell: (execution) => (
      <>
        {execution.trigger}
        <span class="faint">{kindOf(execution)}</span>
      </>
    ),
  },
  { title: 'Pod', isExtra: true, cell: ({ pod_name }) => pod_name && <span class="whole">{pod_name}</span> },
];

/** Empty for an ordinary sync. */
function kindOf({ handler, full_sync }: Execution): string {
  if (handler !== 'repository_sync') return `, ${handler.replace('_', ' ')}`;
  return full_sync ? ', full' : '';
}

/** The API's form of a date and time field; undefined while the field is incomplete. */
function toInstant(local: string | undefined): string | undefined {
  const timeMs = Date.parse(local ?? '');
  return Number.isNaN(timeMs) ? undefined : new Date(timeMs).toISOString();
}
