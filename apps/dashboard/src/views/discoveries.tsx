import { type Discovery, type DiscoveryRun, type List } from '../api/answers.js';
import { type Api } from '../api/api.js';
import { Badge } from '../parts/badge.js';
import { type Column, DataTable } from '../parts/data-table.js';
import { formatNumber } from '../parts/format.js';
import { Instant } from '../parts/instant.js';
import { Showing } from '../parts/notice.js';
import { useLoad } from '../state/use-load.js';

const POLL_MS = 30_000;
/** Each is asked for its last run. */
const MOST = 25;

interface Row {
  discovery: Discovery;
  /** Null before the first. */
  lastRun: DiscoveryRun | null;
}

export function Discoveries() {
  const loaded = useLoad('discoveries', loadRows, POLL_MS);
  return (
    <section aria-labelledby="discoveries-title">
      <h2 id="discoveries-title">Discoveries</h2>
      <Showing of={loaded}>
        {({ rows, total }) =>
          total === 0 ? (
            <p class="faint">No group is watched: each repository is registered by hand.</p>
          ) : (
            <>
              <DataTable
                caption="Discoveries"
                rows={rows}
                keyOf={({ discovery }) => discovery.id}
                columns={COLUMNS}
              />
              {total > rows.length && <p class="faint">{`And ${formatNumber(total - rows.length)} more.`}</p>}
            </>
          )
        }
      </Showing>
    </section>
  );
}

const count = (title: string, of: (run: DiscoveryRun) => number): Column<Row> => ({
  title,
  isNumber: true,
  cell: ({ lastRun }) => (lastRun ? formatNumber(of(lastRun)) : '–'),
});

const COLUMNS: readonly Column<Row>[] = [
  {
    title: 'Group',
    cell: ({ discovery: { name, group_path, base_url } }) => (
      <span title={name}>{group_path ?? `all of ${base_url}`}</span>
    ),
  },
  {
    title: 'Last run',
    cell: ({ lastRun }) =>
      lastRun ? (
        <>
          <Badge status={lastRun.status} /> <Instant at={lastRun.queued_at} />
          {lastRun.error_message !== null && <div class="bad">{lastRun.error_message}</div>}
        </>
      ) : (
        <span class="faint">none yet</span>
      ),
  },
  count('Found', ({ projects_listed }) => projects_listed),
  { ...count('New', ({ added }) => added), isExtra: true },
  count('Missing', ({ missing }) => missing),
  {
    title: 'Next',
    isExtra: true,
    cell: ({ discovery: { is_active, next_run_at } }) =>
      is_active ? <Instant at={next_run_at} absent="unknown" /> : 'by hand only',
  },
];

async function loadRows(api: Api, signal: AbortSignal): Promise<{ rows: Row[]; total: number }> {
  const path = 'api/v1/discoveries';
  const { items, total } = await api.get<List<Discovery>>(`${path}?limit=${MOST}`, signal);
  const rows = items.map(async (discovery) => {
    const runs = await api.get<List<DiscoveryRun>>(`${path}/${discovery.id}/runs?limit=1`, signal);
    return { discovery, lastRun: runs.items[0] ?? null };
  });
  return { rows: await Promise.all(rows), total };
}
