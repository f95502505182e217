import { type Execution } from '../../api/schema.js';
import { Badge, Instant, Section } from '../../parts/elements.js';
import { LoadableList } from '../../parts/loadable.js';
import { nameOf } from '../../parts/repository-field.js';
import { linkTo } from '../../state/route.js';
import { useApi } from '../../state/use-load.js';
import { CancelButton } from '../runs/execution-actions.js';

const POLL_MS = 5_000;
const SHOWN = 10;
const TICKS_SHOWN = 5;

/** The queue, and the next ticks. */
export function Upcoming() {
  const waiting = { status: ['queued' as const], sort: 'queued_at' as const, limit: SHOWN };
  const queued = useApi('/api/v1/executions', { query: waiting }, POLL_MS);
  const soonest = { is_active: true, sort: 'next_run_at', limit: TICKS_SHOWN } as const;
  const ticks = useApi('/api/v1/schedules', { query: soonest }, POLL_MS);
  return (
    <div class="columns">
      <Section title="Queued">
        <LoadableList of={queued} empty="The queue is empty." all={linkTo('history', { status: 'queued' })}>
          {(items) => (
            <ul class="lines">
              {items.map((execution) => (
                <Queued
                  key={execution.id}
                  execution={execution}
                  name={nameOf(execution)}
                  onDone={queued.reload}
                />
              ))}
            </ul>
          )}
        </LoadableList>
      </Section>
      <Section title="Next ticks">
        <LoadableList
          of={ticks}
          empty="No active schedule."
          all={linkTo('repositories', { sort: '-next_run_at' })}
        >
          {(items) => (
            <ul class="lines">
              {items.map((schedule) => (
                <li key={schedule.id}>
                  <Instant at={schedule.next_run_at} absent="unknown" />
                  <a href={linkTo(`repositories/${schedule.repository_id}`)}>{nameOf(schedule)}</a>
                  <code class="faint">{schedule.cron_expression}</code>
                </li>
              ))}
            </ul>
          )}
        </LoadableList>
      </Section>
    </div>
  );
}

function Queued({ execution, name, onDone }: { execution: Execution; name: string; onDone: () => void }) {
  const { id, trigger, queued_at, available_at, attempt, error_message } = execution;
  const isWaiting = available_at !== null && Date.parse(available_at) > Date.now();
  return (
    <li>
      {isWaiting && attempt > 1 ? <span class="badge is-retry">↻ retries</span> : <Badge status="queued" />}
      <a href={linkTo(`history/${id}`)}>{name}</a>
      <span class="faint">
        {isWaiting ? (
          <>
            {error_message ?? 'waits for more pushes'}, {attempt > 1 ? 'next attempt' : 'starts'}{' '}
            <Instant at={available_at} />
          </>
        ) : (
          <>
            {trigger}, queued <Instant at={queued_at} />
          </>
        )}
      </span>
      <CancelButton execution={execution} name={name} onDone={onDone} />
    </li>
  );
}
