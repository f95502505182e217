import { Instant, ProgressBar } from '../../parts/elements.js';
import { formatDuration, formatNumber } from '../../parts/format.js';
import { type Execution, type Schemas } from '../../api/schema.js';
import { linkTo } from '../../state/route.js';
import { useProgress } from '../../state/use-progress.js';
import { CancelButton } from './execution-actions.js';

type Progress = Schemas['ProgressDto'];

interface RunningCardProps {
  execution: Execution;
  name: string;
  isStreamed: boolean;
  /** Whether the card is on the page of its run, and needs no link to it. */
  isOwnPage?: boolean;
  onChange: () => void;
}

export function RunningCard({ execution, name, isStreamed, isOwnPage, onChange }: RunningCardProps) {
  const progress = useProgress(execution.id, isStreamed, onChange);
  const Heading = isOwnPage ? 'h2' : 'h3';
  return (
    <li class="panel">
      <div class="row between">
        <Heading>
          {isOwnPage ? 'Live progress' : <a href={linkTo(`history/${execution.id}`)}>{name}</a>}
        </Heading>
        <CancelButton execution={execution} name={name} onDone={onChange} />
      </div>
      <ProgressBar label={`Progress of ${name}`} percent={progress?.progress ?? 0} />
      <p>
        <strong>{progress ? activeOf(progress) : 'starting'}</strong>{' '}
        {progress && progress.total_files > 0 && (
          <span>{`${formatNumber(progress.processed_files)} of ${formatNumber(progress.total_files)} files`}</span>
        )}
        {progress && progress.failed_files > 0 && (
          <span class="bad">{`, ${formatNumber(progress.failed_files)} failed`}</span>
        )}
        {progress && <span class="faint">{paceOf(progress)}</span>}
      </p>
      {isOwnPage && progress && <Stages stages={progress.stages} />}
      <p class="faint one-line">{progress?.current_file ?? progress?.message ?? ''}</p>
      <p class="faint">
        {execution.trigger}
        {execution.full_sync && ', full sync'}, {execution.pod_name ?? 'no pod assigned'}, started{' '}
        <Instant at={execution.started_at} absent="not yet" />
        {execution.attempt > 1 && `, attempt ${execution.attempt}`}
      </p>
    </li>
  );
}

/** The active stages; before the work is planned, the stage that has begun. */
function activeOf({ status, stages }: Progress): string {
  const active = stages.filter(({ state }) => state === 'active').map(({ stage }) => stage);
  return active.length === 0 ? status : active.join(', ');
}

function paceOf({ files_per_second: pace, eta_seconds: eta }: Progress): string {
  const parts = [
    pace !== null && pace > 0 && `${formatNumber(pace)} files a second`,
    eta !== null && `about ${formatDuration(eta)} left`,
  ].filter(Boolean);
  return parts.length === 0 ? '' : ` · ${parts.join(', ')}`;
}

const SYMBOLS = { waiting: '○', active: '◉', done: '✓' } as const;

/** What each stage of a run has done; several are active at the same time. */
function Stages({ stages }: Pick<Progress, 'stages'>) {
  if (stages.length === 0) return null;
  return (
    <ol class="stages" aria-label="Stages">
      {stages.map(({ stage, state, done, total, unit }) => (
        <li key={stage} class={`is-${state}`}>
          <span>
            <span aria-hidden="true">{SYMBOLS[state]}</span> {stage}
            <span class="hidden">, {state}</span>
          </span>
          {unit !== 'steps' && (
            <span class="faint">
              {total === null ? formatNumber(done) : `${formatNumber(done)} of ${formatNumber(total)}`} {unit}
            </span>
          )}
        </li>
      ))}
    </ol>
  );
}
