import { useId, useState } from 'preact/hooks';
import { type Api } from '../../api/api.js';
import { type Execution, type Schemas } from '../../api/schema.js';
import { ActionButton } from '../../parts/action-button.js';
import { Badge, Commit, Facts, Instant, RuleWarning } from '../../parts/elements.js';
import { formatDuration } from '../../parts/format.js';
import { linkTo } from '../../state/route.js';
import { useSession } from '../../state/session.js';

export interface RepositoryState {
  repository: Schemas['RepositoryDto'];
  schedules: Schemas['ScheduleDto'][];
  /** Ended or not; null before the first run. */
  lastRun: Execution | null;
}

interface RepositoryCardProps {
  state: RepositoryState;
  onChange: () => void;
}

export function RepositoryCard({ state: { repository, schedules, lastRun }, onChange }: RepositoryCardProps) {
  const { id, project_path, branch, last_sync_at, last_synced_commit, lost_since, warnings } = repository;
  const name = `${project_path} @ ${branch}`;
  return (
    <li class="panel">
      <div class="row between">
        <h2>
          {project_path} <span class="faint">@ {branch}</span>
        </h2>
        {lastRun && (
          <a href={linkTo(`history/${lastRun.id}`)} aria-label={`Last run of ${name}: ${lastRun.status}`}>
            <Badge status={lastRun.status} />
          </a>
        )}
      </div>
      <Facts
        facts={[
          [
            'Last synced',
            <>
              <Instant at={last_sync_at} />{' '}
              {last_synced_commit !== null && <Commit id={last_synced_commit} />}
            </>,
          ],
          ['Last run', <LastRun run={lastRun} />],
          ['Last verified', <LastVerified repository={repository} />],
          lastRun?.error_message ? messageOf(lastRun.status, lastRun.error_message) : null,
          lost_since === null
            ? null
            : [
                'Index lost',
                <span class="bad">
                  since <Instant at={lost_since} />: its collection is missing or was replaced. A run restores
                  it.
                </span>,
              ],
          ...warnings.map((warning) => ['Warning', <RuleWarning warning={warning} />] as const),
          ...schedules.map((schedule) => scheduleFact(schedule, name, onChange)),
          schedules.length === 0
            ? ['Schedule', <span class="faint">none (runs on request and on pushes)</span>]
            : null,
        ]}
      />
      <Actions id={id} name={name} onChange={onChange} />
    </li>
  );
}

/** A completed run has a message when it repaired something. */
function messageOf(status: Execution['status'], message: string) {
  if (status === 'completed') return ['Notice', message] as const;
  return ['Error', <span class="bad">{message}</span>] as const;
}

function LastRun({ run }: { run: Execution | null }) {
  return (
    <>
      <Instant at={run?.queued_at ?? null} />
      {typeof run?.duration_seconds === 'number' && ` took ${formatDuration(run.duration_seconds)}`}
    </>
  );
}

function LastVerified({ repository }: Pick<RepositoryState, 'repository'>) {
  const { last_verified_at, last_drift } = repository;
  return (
    <>
      <Instant at={last_verified_at} />
      {last_drift !== null && (
        <span class="bad">
          {' '}
          {last_drift.files} files and {last_drift.points} points differed
        </span>
      )}
    </>
  );
}

function scheduleFact(schedule: Schemas['ScheduleDto'], name: string, onChange: () => void) {
  const { id, cron_expression, timezone, is_active, next_run_at } = schedule;
  return [
    <>
      <code>{cron_expression}</code> {timezone}
    </>,
    <>
      {is_active ? (
        <span>
          next run <Instant at={next_run_at} absent="unknown" />
        </span>
      ) : (
        <strong>paused</strong>
      )}
      <ActionButton
        label={is_active ? 'Pause' : 'Resume'}
        subject={`schedule ${cron_expression} of ${name}`}
        role="operator"
        done={is_active ? 'paused.' : 'resumed.'}
        act={(api) => api.post(`/api/v1/schedules/{id}/${is_active ? 'pause' : 'resume'}`, { path: { id } })}
        onDone={onChange}
      />
    </>,
  ] as const;
}

/** The two kinds of sync; read-only actions are behind a button, each with an explanation. */
function Actions({ id, name, onChange }: { id: string; name: string; onChange: () => void }) {
  const [isOpen, setIsOpen] = useState(false);
  const choicesId = useId();
  const canRun = useSession().can('operator');
  const common = { subject: name, role: 'operator', done: 'run queued.', onDone: onChange } as const;
  const path = { id };
  const sync = (body: Schemas['SyncRequestDto']) => (api: Api) =>
    api.post('/api/v1/repositories/{id}/sync', { path, body });
  return (
    <div class="foot">
      <div class="row">
        <ActionButton {...common} label="Sync" act={sync({})} />
        <ActionButton
          {...common}
          label="Full sync"
          confirmation={{
            title: `Run a full sync of ${name}?`,
            text: 'All files are read, chunked and stored again. Known embeddings are reused. Search keeps working meanwhile.',
          }}
          act={sync({ full: true })}
        />
        {canRun && (
          <button
            type="button"
            aria-label={`More actions: ${name}`}
            aria-expanded={isOpen}
            aria-controls={choicesId}
            onClick={() => setIsOpen(!isOpen)}
          >
            More
          </button>
        )}
        <a href={linkTo('history', { repository: id })} aria-label={`History of ${name}`}>
          History
        </a>
      </div>
      <dl id={choicesId} class="choices" hidden={!isOpen || !canRun}>
        <dt>
          <ActionButton
            {...common}
            label="Dry run"
            act={async (api) => showRun(await sync({ dry_run: true })(api))}
          />
        </dt>
        <dd>Shows what a sync would do, without changing anything.</dd>
        <dt>
          <ActionButton
            {...common}
            label="Verify"
            act={async (api) => showRun(await api.post('/api/v1/repositories/{id}/verify', { path }))}
          />
        </dt>
        <dd>Compares the index with the files at its commit.</dd>
      </dl>
    </div>
  );
}

/** Opens the page where the report of a read-only run appears. */
function showRun({ execution_id }: Schemas['SyncStartedDto']): void {
  location.hash = linkTo(`history/${execution_id}`);
}
