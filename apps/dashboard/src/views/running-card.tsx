import { type Execution } from '../api/answers.js';
import { formatNumber } from '../parts/format.js';
import { Instant } from '../parts/instant.js';
import { ProgressBar } from '../parts/progress-bar.js';
import { linkTo } from '../state/route.js';
import { useProgress } from '../state/use-progress.js';
import { CancelButton } from './cancel-button.js';

interface RunningCardProps {
  execution: Execution;
  name: string;
  isStreamed: boolean;
  /** A link to the page that one is on leads nowhere. */
  isOwnPage?: boolean;
  onChange: () => void;
}

export function RunningCard({ execution, name, isStreamed, isOwnPage, onChange }: RunningCardProps) {
  const progress = useProgress(execution.id, isStreamed, onChange);
  return (
    <li class="panel">
      <div class="row between">
        <h2>{isOwnPage ? 'Live progress' : <a href={linkTo(`history/${execution.id}`)}>{name}</a>}</h2>
        <CancelButton execution={execution} name={name} onDone={onChange} />
      </div>
      <ProgressBar label={`Progress of ${name}`} percent={progress?.progress ?? 0} />
      <p>
        <strong>{progress?.status ?? 'starting'}</strong>{' '}
        {progress && progress.total_files > 0 && (
          <span>{`${formatNumber(progress.processed_files)} of ${formatNumber(progress.total_files)} files`}</span>
        )}
        {progress && progress.failed_files > 0 && (
          <span class="bad">{`, ${formatNumber(progress.failed_files)} failed`}</span>
        )}
      </p>
      <p class="faint one-line">{progress?.current_file ?? progress?.message ?? ''}</p>
      <p class="faint">
        {execution.trigger}
        {execution.full_sync && ', full'} on {execution.pod_name ?? 'no pod yet'}, started{' '}
        <Instant at={execution.started_at} absent="not yet" />
        {execution.attempt > 1 && `, attempt ${execution.attempt}`}
      </p>
    </li>
  );
}
