import { type Execution, type List, type Summary } from '../api/answers.js';
import { withQuery } from '../api/api.js';
import { formatDuration, formatNumber, formatPercent } from '../parts/format.js';
import { Instant } from '../parts/instant.js';
import { Empty, Showing } from '../parts/notice.js';
import { Tile } from '../parts/tile.js';
import { useAnswer } from '../state/use-load.js';
import { useRepositoryNames } from '../state/use-repository-names.js';
import { linkTo } from '../state/route.js';
import { CancelButton } from './cancel-button.js';
import { Dependencies } from './dependencies.js';
import { RunningCard } from './running-card.js';

const POLL_MS = 5_000;
const SUMMARY_POLL_MS = 30_000;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** A browser keeps six connections to a host; two are left for the rest of the page. */
const MOST_STREAMS = 4;
const SHOWN = 50;

export function Now() {
  const running = useAnswer<List<Execution>>(`api/v1/executions?status=running&limit=${SHOWN}`, POLL_MS);
  const queued = useAnswer<List<Execution>>(`api/v1/executions?status=queued&limit=${SHOWN}`, POLL_MS);
  const shown = [...(running.data?.items ?? []), ...(queued.data?.items ?? [])];
  const names = useRepositoryNames(shown.map(({ repository_id }) => repository_id));
  return (
    <>
      <h1>What runs now</h1>
      <Dependencies />
      <LastDay />
      <section aria-label="Running">
        <Showing of={running}>
          {({ items, total }) => (
            <>
              {total === 0 && (
                <Empty title="Nothing runs at the moment.">
                  <p>
                    A schedule's next tick, a push or the button of a{' '}
                    <a href={linkTo('repositories')}>repository</a> starts a run.
                  </p>
                </Empty>
              )}
              <ul class="cards">
                {items.map((execution, index) => (
                  <RunningCard
                    key={execution.id}
                    execution={execution}
                    name={names.nameOf(execution.repository_id)}
                    isStreamed={index < MOST_STREAMS}
                    onChange={running.reload}
                  />
                ))}
              </ul>
              {total > items.length && (
                <p class="faint">{`And ${formatNumber(total - items.length)} more.`}</p>
              )}
            </>
          )}
        </Showing>
      </section>
      <section aria-labelledby="queued-title">
        <h2 id="queued-title">Waiting</h2>
        <Showing of={queued}>
          {({ items, total }) =>
            total === 0 ? (
              <p class="faint">The queue is empty.</p>
            ) : (
              <ul class="lines">
                {items.map((execution) => (
                  <li key={execution.id}>
                    <a href={linkTo(`history/${execution.id}`)}>{names.nameOf(execution.repository_id)}</a>
                    <span class="faint">
                      {execution.trigger}, queued <Instant at={execution.queued_at} />
                    </span>
                    <CancelButton
                      execution={execution}
                      name={names.nameOf(execution.repository_id)}
                      onDone={queued.reload}
                    />
                  </li>
                ))}
              </ul>
            )
          }
        </Showing>
      </section>
    </>
  );
}

function LastDay() {
  // A question of the minute, so that asking again within it is the same question.
  const from = new Date(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - DAY_MS).toISOString();
  const summary = useAnswer<Summary>(withQuery('api/v1/history/summary', { from }), SUMMARY_POLL_MS);
  return (
    <Showing of={summary}>
      {({ total_runs, runs, success_rate, durations }) => (
        <dl class="tiles" aria-label="The last 24 hours">
          <Tile label="Runs in 24 h" value={formatNumber(total_runs)} />
          <Tile label="Success rate" value={formatPercent(success_rate)} />
          <Tile
            label="Failed or partial"
            value={formatNumber(runs.failed + runs.partial)}
            note={runs.missed > 0 ? `${formatNumber(runs.missed)} missed` : ''}
          />
          <Tile
            label="Median duration"
            value={formatDuration(durations.p50_seconds)}
            note={durations.p95_seconds === null ? '' : `p95 ${formatDuration(durations.p95_seconds)}`}
          />
        </dl>
      )}
    </Showing>
  );
}
