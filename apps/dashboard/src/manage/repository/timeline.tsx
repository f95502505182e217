import { type Execution } from '../../api/schema.js';
import { Badge, Instant, Section } from '../../parts/elements.js';
import { formatDuration, formatInstant, formatNumber } from '../../parts/format.js';
import { LoadableList } from '../../parts/loadable.js';
import { linkTo } from '../../state/route.js';
import { useApi } from '../../state/use-load.js';

const POLL_MS = 5_000;
const SHOWN = 40;
const LISTED = 5;

/** The last runs as a row of marks, newest on the right, and the newest ones in words. */
export function Timeline({ repositoryId }: { repositoryId: string }) {
  const query = { repository_id: repositoryId, limit: SHOWN } as const;
  const runs = useApi('/api/v1/executions', { query }, POLL_MS);
  return (
    <Section title="Runs">
      <LoadableList of={runs} empty="No runs yet." all={linkTo('history', { repository: repositoryId })}>
        {(items) => (
          <>
            <Marks runs={items.toReversed()} />
            <ul class="lines">
              {items.slice(0, LISTED).map((run) => (
                <Line key={run.id} run={run} />
              ))}
            </ul>
          </>
        )}
      </LoadableList>
    </Section>
  );
}

function Marks({ runs }: { runs: readonly Execution[] }) {
  const longest = Math.max(1, ...runs.map(({ duration_seconds }) => duration_seconds ?? 0));
  return (
    <ol class="marks" aria-label="Runs, oldest first">
      {runs.map(({ id, status, queued_at, duration_seconds }) => {
        const text = `${status}, ${formatInstant(queued_at)}, ${formatDuration(duration_seconds)}`;
        const share = Math.sqrt((duration_seconds ?? 0) / longest);
        return (
          <li key={id}>
            <a
              href={linkTo(`history/${id}`)}
              aria-label={text}
              title={text}
              style={`--colour: var(--${status}); --height: ${Math.round(20 + 80 * share)}%`}
            />
          </li>
        );
      })}
    </ol>
  );
}

function Line({ run }: { run: Execution }) {
  const { id, status, queued_at, duration_seconds, trigger, files_processed, error_message } = run;
  return (
    <li>
      <a href={linkTo(`history/${id}`)} aria-label={`Run: ${status}`}>
        <Badge status={status} />
      </a>
      <Instant at={queued_at} />
      <span class="faint">
        {`${trigger}, ${formatDuration(duration_seconds)}, ${formatNumber(files_processed)} files`}
      </span>
      {error_message !== null && (
        <span class={status === 'completed' ? 'faint' : 'bad'}>{error_message}</span>
      )}
    </li>
  );
}
