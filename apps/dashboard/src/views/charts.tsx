import { type Api } from '../api/api.js';
import { Tiles } from '../parts/elements.js';
import { formatDuration, formatPercent, readersZone } from '../parts/format.js';
import { FilterForm, Select } from '../parts/forms.js';
import { Empty, Loadable } from '../parts/loadable.js';
import { RepositoryField } from '../parts/repository-field.js';
import { linkTo } from '../state/route.js';
import { useLoad } from '../state/use-load.js';
import { ChartGrid, FailureTables } from './chart-grid.js';

const POLL_MS = 60_000;
const RUNS_SHOWN = 60;
const DAY_MS = 86_400_000;
const RANGES = { '1': 'Last day', '7': 'Last 7 days', '30': 'Last 30 days', '365': 'Last year' } as const;

export function Charts({ query }: { query: Record<string, string> }) {
  const days = query.days && query.days in RANGES ? query.days : '7';
  const loaded = useLoad(
    `charts ${days} ${query.repository ?? ''}`,
    (api, signal) => loadHistory(api, Number(days), query.repository, signal),
    POLL_MS,
  );
  return (
    <>
      <h1>Charts</h1>
      <FilterForm label="Filters" onChange={(values) => (location.hash = linkTo('charts', values))}>
        <Select label="Time range" name="days" value={days} options={Object.entries(RANGES)} />
        <RepositoryField value={query.repository} />
      </FilterForm>
      <Loadable of={loaded}>
        {({ summary: { total_runs, success_rate, durations }, timeline, failures, runs }) =>
          total_runs === 0 ? (
            <Empty title="No runs in this time range.">Choose a longer range or another repository.</Empty>
          ) : (
            <>
              <Tiles
                label="Summary"
                tiles={[
                  ['Runs', total_runs],
                  ['Success rate', formatPercent(success_rate)],
                  [
                    'Mean duration',
                    formatDuration(durations.mean_seconds),
                    `median ${formatDuration(durations.p50_seconds)}`,
                  ],
                  [
                    '95th percentile duration',
                    formatDuration(durations.p95_seconds),
                    `longest ${formatDuration(durations.max_seconds)}`,
                  ],
                ]}
              />
              <p class="faint">{`Time zone: ${readersZone()}`}</p>
              <ChartGrid repository={query.repository} timeline={timeline} failures={failures} runs={runs} />
              <FailureTables failures={failures} />
            </>
          )
        }
      </Loadable>
    </>
  );
}

async function loadHistory(api: Api, days: number, repository_id: string | undefined, signal: AbortSignal) {
  const timezone = readersZone();
  const range = { from: new Date(Date.now() - days * DAY_MS).toISOString(), repository_id };
  const [summary, timeline, failures, runs] = await Promise.all([
    api.get('/api/v1/history/summary', { query: range }, signal),
    api.get('/api/v1/history/timeline', { query: { ...range, timezone } }, signal),
    api.get('/api/v1/history/failures', { query: { ...range, timezone, limit: 10 } }, signal),
    api.get('/api/v1/executions', { query: { ...range, limit: RUNS_SHOWN } }, signal),
  ]);
  return { summary, timeline, failures, runs: runs.items };
}
