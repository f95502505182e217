import { type Api } from '../api/api.js';
import { type Schemas } from '../api/schema.js';
import { type Column } from '../parts/data-table.js';
import { Badge, Instant, Section } from '../parts/elements.js';
import { LoadableTable } from '../parts/loadable.js';
import { useLoad } from '../state/use-load.js';

const POLL_MS = 30_000;
/** Each row needs one more request, for its last run. */
const MAX_ROWS = 25;

interface Row {
  discovery: Schemas['DiscoveryDto'];
  /** Null before the first run. */
  lastRun: Schemas['DiscoveryRunDto'] | null;
}

export function Discoveries() {
  const loaded = useLoad('discoveries', loadRows, POLL_MS);
  return (
    <Section title="Discoveries">
      <LoadableTable
        of={loaded}
        empty="No discoveries: repositories are registered manually."
        caption="Discoveries"
        keyOf={({ discovery }) => discovery.id}
        columns={COLUMNS}
      />
    </Section>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  {
    title: 'Group',
    cell: ({ discovery: { name, group_path, base_url } }) => (
      <span title={name}>{group_path ?? `all projects of ${base_url}`}</span>
    ),
  },
  { title: 'Last run', cell: ({ lastRun }) => <LastRun run={lastRun} /> },
  { title: 'Found', isNumber: true, cell: ({ lastRun }) => lastRun?.projects_listed },
  { title: 'Added', isNumber: true, isExtra: true, cell: ({ lastRun }) => lastRun?.added },
  { title: 'Missing', isNumber: true, cell: ({ lastRun }) => lastRun?.missing },
  {
    title: 'Next run',
    isExtra: true,
    cell: ({ discovery: { is_active, next_run_at } }) =>
      is_active ? <Instant at={next_run_at} absent="unknown" /> : 'manual only',
  },
];

function LastRun({ run }: { run: Row['lastRun'] }) {
  if (!run) return <span class="faint">none yet</span>;
  return (
    <>
      <Badge status={run.status} /> <Instant at={run.queued_at} />
      {run.error_message !== null && <div class="bad">{run.error_message}</div>}
    </>
  );
}

async function loadRows(api: Api, signal: AbortSignal): Promise<{ items: Row[]; total: number }> {
  const { items, total } = await api.get('/api/v1/discoveries', { query: { limit: MAX_ROWS } }, signal);
  const rows = items.map(async (discovery) => {
    const input = { path: { id: discovery.id }, query: { limit: 1 } };
    const runs = await api.get('/api/v1/discoveries/{id}/runs', input, signal);
    return { discovery, lastRun: runs.items[0] ?? null };
  });
  return { items: await Promise.all(rows), total };
}
