import { type Summary } from '../api/answers.js';
import { formatDuration, formatNumber, formatPercent, readersZone } from '../parts/format.js';
import { valuesOf } from '../parts/form-values.js';
import { Empty, Showing } from '../parts/notice.js';
import { Select } from '../parts/select.js';
import { Tile } from '../parts/tile.js';
import { linkTo } from '../state/route.js';
import { useLoad } from '../state/use-load.js';
import { repositoryOptions, useRepositoryNames } from '../state/use-repository-names.js';
import { ChartGrid } from './chart-grid.js';
import { FailureLists } from './failure-lists.js';
import { loadPast } from './past.js';

const POLL_MS = 60_000;
const RANGES = { '1': 'last day', '7': 'last 7 days', '30': 'last 30 days', '365': 'last year' } as const;

export function Charts({ query }: { query: Record<string, string> }) {
  const days = query.days && query.days in RANGES ? query.days : '7';
  const names = useRepositoryNames(query.repository ? [query.repository] : []);
  const past = useLoad(
    `charts ${days} ${query.repository ?? ''}`,
    (api, signal) => loadPast(api, Number(days), query.repository, signal),
    POLL_MS,
  );
  const choose = (event: Event): void => {
    location.hash = linkTo('charts', valuesOf(event));
  };
  return (
    <>
      <h1>Charts</h1>
      <form class="filters" aria-label="What the charts show" onChange={choose}>
        <Select label="Time" name="days" value={days} options={Object.entries(RANGES)} all={null} />
        <Select
          label="Repository"
          name="repository"
          value={query.repository}
          options={repositoryOptions(names, query.repository)}
        />
      </form>
      <Showing of={past}>
        {(data) =>
          data.summary.total_runs === 0 ? (
            <Empty title="Nothing ran in this time.">
              <p>Choose a longer time or another repository.</p>
            </Empty>
          ) : (
            <>
              <Numbers summary={data.summary} />
              <p class="faint">{`Days and hours are those of ${readersZone()}.`}</p>
              <ChartGrid past={data} />
              <FailureLists failures={data.failures} />
            </>
          )
        }
      </Showing>
    </>
  );
}

function Numbers({ summary: { total_runs, success_rate, durations } }: { summary: Summary }) {
  return (
    <dl class="tiles" aria-label="In numbers">
      <Tile label="Runs" value={formatNumber(total_runs)} />
      <Tile label="Success rate" value={formatPercent(success_rate)} />
      <Tile
        label="Mean duration"
        value={formatDuration(durations.mean_seconds)}
        note={`median ${formatDuration(durations.p50_seconds)}`}
      />
      <Tile
        label="95 % took at most"
        value={formatDuration(durations.p95_seconds)}
        note={`longest ${formatDuration(durations.max_seconds)}`}
      />
    </dl>
  );
}
