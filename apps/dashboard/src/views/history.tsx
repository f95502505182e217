import { type Execution, type List } from '../api/answers.js';
import { withQuery } from '../api/api.js';
import { Badge } from '../parts/badge.js';
import { DataTable } from '../parts/data-table.js';
import { formatDuration, formatNumber } from '../parts/format.js';
import { Instant } from '../parts/instant.js';
import { Empty, Showing } from '../parts/notice.js';
import { Pager } from '../parts/pager.js';
import { pageOf } from '../state/page.js';
import { linkTo } from '../state/route.js';
import { useAnswer } from '../state/use-load.js';
import { useRepositoryNames } from '../state/use-repository-names.js';
import { HistoryFilters } from './history-filters.js';

const POLL_MS = 10_000;
const PAGE_SIZE = 25;

export function History({ query }: { query: Record<string, string> }) {
  const page = pageOf(query);
  const executions = useAnswer<List<Execution>>(
    withQuery('api/v1/executions', {
      limit: PAGE_SIZE,
      offset: page * PAGE_SIZE,
      status: query.status,
      trigger: query.trigger,
      repository_id: query.repository,
      pod_name: query.pod,
      from: toInstant(query.from),
      to: toInstant(query.to),
    }),
    POLL_MS,
  );
  const names = useRepositoryNames([
    ...(query.repository ? [query.repository] : []),
    ...(executions.data?.items ?? []).map(({ repository_id }) => repository_id),
  ]);
  return (
    <>
      <h1>History</h1>
      <HistoryFilters query={query} names={names} />
      <Showing of={executions}>
        {({ items, total }) =>
          total === 0 ? (
            <Empty title={Object.keys(query).length > 0 ? 'No run is like this.' : 'Nothing has run yet.'}>
              {Object.keys(query).length > 0 && <a href={linkTo('history')}>Show all runs</a>}
            </Empty>
          ) : (
            <>
              <DataTable
                caption="Runs, newest first"
                rows={items}
                keyOf={({ id }) => id}
                columns={columnsWith(names.nameOf)}
              />
              <Pager
                page={page}
                pageSize={PAGE_SIZE}
                total={total}
                names={['Newer', 'Older']}
                linkToPage={(to) => linkTo('history', { ...query, page: String(to) })}
              />
            </>
          )
        }
      </Showing>
    </>
  );
}

function columnsWith(nameOf: (repositoryId: string) => string) {
  return [
    {
      title: 'Repository',
      cell: ({ id, repository_id }: Execution) => (
        <a href={linkTo(`history/${id}`)}>{nameOf(repository_id)}</a>
      ),
    },
    {
      title: 'Outcome',
      cell: ({ status, error_code }: Execution) => (
        <>
          <Badge status={status} /> {error_code !== null && <code class="bad">{error_code}</code>}
        </>
      ),
    },
    { title: 'Queued', cell: ({ queued_at }: Execution) => <Instant at={queued_at} /> },
    {
      title: 'Duration',
      isNumber: true,
      isExtra: true,
      cell: ({ duration_seconds }: Execution) => formatDuration(duration_seconds),
    },
    {
      title: 'Files',
      isNumber: true,
      isExtra: true,
      cell: ({ files_processed }: Execution) => formatNumber(files_processed),
    },
    {
      title: 'Chunks',
      isNumber: true,
      isExtra: true,
      cell: ({ chunks_upserted }: Execution) => formatNumber(chunks_upserted),
    },
    {
      title: 'Trigger',
      isExtra: true,
      cell: ({ trigger, handler, full_sync }: Execution) => (
        <>
          {trigger}
          <KindNote handler={handler} isFull={full_sync} />
        </>
      ),
    },
    {
      title: 'Pod',
      isExtra: true,
      cell: ({ pod_name }: Execution) => <span class="whole">{pod_name ?? '–'}</span>,
    },
  ];
}

/** Says nothing of a sync as most are. */
function KindNote({ handler, isFull }: { handler: string; isFull: boolean }) {
  const kind = handler === 'repository_sync' ? (isFull ? 'full' : null) : handler.replaceAll('_', ' ');
  return kind === null ? null : <span class="faint">{`, ${kind}`}</span>;
}

/** What a field of date and time holds, as the API wants it; undefined while it is not complete. */
function toInstant(local: string | undefined): string | undefined {
  const timeMs = Date.parse(local ?? '');
  return Number.isNaN(timeMs) ? undefined : new Date(timeMs).toISOString();
}
