import { ApiFailure, type Api } from '../api/api.js';
import { type Schemas } from '../api/schema.js';
import { Instant, Section, Tiles } from '../parts/elements.js';
import { formatDuration, formatPercent } from '../parts/format.js';
import { Empty, Loadable, LoadableList } from '../parts/loadable.js';
import { linkTo } from '../state/route.js';
import { useApi, useLoad } from '../state/use-load.js';
import { useRepositoryNames } from '../state/use-repository-names.js';
import { CancelButton } from './execution-actions.js';
import { RunningCard } from './running-card.js';

const POLL_MS = 5_000;
const HEALTH_POLL_MS = 15_000;
const SUMMARY_POLL_MS = 30_000;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** A browser opens at most six connections to a host; two remain for the rest of the page. */
const MAX_STREAMS = 4;
const SHOWN = 50;

export function Overview() {
  const running = useApi('/api/v1/executions', { query: { status: ['running'], limit: SHOWN } }, POLL_MS);
  const queued = useApi('/api/v1/executions', { query: { status: ['queued'], limit: SHOWN } }, POLL_MS);
  const shown = [...(running.data?.items ?? []), ...(queued.data?.items ?? [])];
  const { nameOf } = useRepositoryNames(shown.map(({ repository_id }) => repository_id));
  return (
    <>
      <h1>Overview</h1>
      <Readiness />
      <LastDay />
      <Section title="Running">
        <LoadableList of={running} empty={<NoRunsInProgress />}>
          {(items) => (
            <ul class="cards">
              {items.map((execution, index) => (
                <RunningCard
                  key={execution.id}
                  execution={execution}
                  name={nameOf(execution.repository_id)}
                  isStreamed={index < MAX_STREAMS}
                  onChange={running.reload}
                />
              ))}
            </ul>
          )}
        </LoadableList>
      </Section>
      <Section title="Queued">
        <LoadableList of={queued} empty="The queue is empty.">
          {(items) => (
            <ul class="lines">
              {items.map((execution) => {
                const name = nameOf(execution.repository_id);
                return (
                  <li key={execution.id}>
                    <a href={linkTo(`history/${execution.id}`)}>{name}</a>
                    <span class="faint">
                      {execution.trigger}, queued <Instant at={execution.queued_at} />
                    </span>
                    <CancelButton execution={execution} name={name} onDone={queued.reload} />
                  </li>
                );
              })}
            </ul>
          )}
        </LoadableList>
      </Section>
    </>
  );
}

function NoRunsInProgress() {
  return (
    <Empty title="No runs in progress.">
      Runs start on schedule, on a push, or from <a href={linkTo('repositories')}>Repositories</a>.
    </Empty>
  );
}

function LastDay() {
  // Rounded, so that the request stays the same for a minute.
  const from = new Date(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - DAY_MS).toISOString();
  const summary = useApi('/api/v1/history/summary', { query: { from } }, SUMMARY_POLL_MS);
  return (
    <Loadable of={summary}>
      {({ total_runs, runs, success_rate, durations: { p50_seconds, p95_seconds } }) => (
        <Tiles
          label="Last 24 hours"
          tiles={[
            ['Runs (last 24 h)', total_runs],
            ['Success rate', formatPercent(success_rate)],
            ['Failed or partial', runs.failed + runs.partial, runs.missed > 0 ? `${runs.missed} missed` : ''],
            [
              'Median duration',
              formatDuration(p50_seconds),
              p95_seconds === null ? '' : `p95 ${formatDuration(p95_seconds)}`,
            ],
          ]}
        />
      )}
    </Loadable>
  );
}

/** Names the dependencies that are down; shows nothing while all are up. */
function Readiness() {
  const { data, failure } = useLoad('health/ready', readReadiness, HEALTH_POLL_MS);
  const down = Object.entries(data?.checks ?? {}).filter(([, { status }]) => status === 'down');
  // When the pod does not respond, the rest of the page shows it.
  if (failure || (!data?.detail && down.length === 0)) return null;
  return (
    <div class="notice notice-bad" role="alert">
      <p>
        <strong>This pod is not ready.</strong> {data?.detail}
      </p>
      <ul>
        {down.map(([name, { error_code }]) => (
          <li key={name}>
            {name.replace('_', ' ')}: <code>{error_code}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Not sent through the API client: the probe needs no token, and its 503 has a result. */
async function readReadiness(_api: Api, signal: AbortSignal) {
  const response = await fetch('health/ready', { signal, cache: 'no-store' }).catch(() => {
    throw new ApiFailure('The service is not responding.', 0, 'no_response');
  });
  return (await response.json()) as Partial<Schemas['ReadinessDto'] & { detail: string }>;
}
