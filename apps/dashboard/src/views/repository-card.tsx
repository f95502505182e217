import { type Schedule } from '../api/answers.js';
import { ActionButton } from '../parts/action-button.js';
import { Badge } from '../parts/badge.js';
import { formatDuration, shortCommit } from '../parts/format.js';
import { Instant } from '../parts/instant.js';
import { linkTo } from '../state/route.js';
import { RepositoryActions } from './repository-actions.js';
import { type RepositoryState } from './repository-states.js';

interface RepositoryCardProps {
  state: RepositoryState;
  onChange: () => void;
}

export function RepositoryCard({ state: { repository, schedules, newest }, onChange }: RepositoryCardProps) {
  const name = `${repository.project_path} @ ${repository.branch}`;
  return (
    <li class="panel">
      <div class="row between">
        <h2>
          {repository.project_path} <span class="faint">@ {repository.branch}</span>
        </h2>
        {newest && (
          <a href={linkTo(`history/${newest.id}`)} aria-label={`Newest run of ${name}: ${newest.status}`}>
            <Badge status={newest.status} />
          </a>
        )}
      </div>
      <dl class="facts">
        <dt>Equal to its branch</dt>
        <dd>
          <Instant at={repository.last_sync_at} absent="not yet" />
          {repository.last_synced_commit !== null && (
            <code>{shortCommit(repository.last_synced_commit)}</code>
          )}
        </dd>
        <dt>Newest run</dt>
        <dd>
          {newest ? (
            <>
              <Instant at={newest.queued_at} />
              {newest.duration_seconds !== null && ` took ${formatDuration(newest.duration_seconds)}`}
            </>
          ) : (
            <span class="faint">none yet</span>
          )}
        </dd>
        {newest?.error_message && (
          <>
            <dt>Why</dt>
            <dd class="bad">{newest.error_message}</dd>
          </>
        )}
        {schedules.map((schedule) => (
          <ScheduleFacts key={schedule.id} schedule={schedule} name={name} onChange={onChange} />
        ))}
        {schedules.length === 0 && (
          <>
            <dt>Schedule</dt>
            <dd class="faint">none: it runs on request and on pushes only</dd>
          </>
        )}
      </dl>
      <RepositoryActions repositoryId={repository.id} name={name} onChange={onChange} />
    </li>
  );
}

function ScheduleFacts({
  schedule,
  name,
  onChange,
}: {
  schedule: Schedule;
  name: string;
  onChange: () => void;
}) {
  const { id, cron_expression, timezone, is_active, next_run_at } = schedule;
  const step = is_active ? 'pause' : 'resume';
  return (
    <>
      <dt>
        <code>{cron_expression}</code> {timezone}
      </dt>
      <dd>
        {is_active ? (
          <span>
            next tick <Instant at={next_run_at} absent="unknown" />
          </span>
        ) : (
          <strong>paused</strong>
        )}
        <ActionButton
          label={is_active ? 'Pause' : 'Resume'}
          subject={`schedule ${cron_expression} of ${name}`}
          role="operator"
          done={is_active ? 'paused.' : 'goes on with its next tick.'}
          act={(api) => api.post(`api/v1/schedules/${id}/${step}`)}
          onDone={onChange}
        />
      </dd>
    </>
  );
}
