import { type Execution } from '../../api/schema.js';
import { ActionButton } from '../../parts/action-button.js';
import { linkTo } from '../../state/route.js';
import { useApi } from '../../state/use-load.js';

const RETRYABLE: readonly string[] = ['failed', 'partial', 'cancelled'];
/** A retry is searched among this many manual runs after the original. */
const MAX_ROWS = 100;

export interface ExecutionProps {
  execution: Execution;
  /** The path of the repository, for the labels of the buttons. */
  name: string;
  onDone: () => void;
}

export function CancelButton({ execution, name, onDone }: ExecutionProps) {
  if (execution.cancel_requested_at !== null) return <span class="faint">cancelling…</span>;
  return (
    <ActionButton
      label="Cancel"
      subject={name}
      role="operator"
      confirmation={{
        title: `Cancel the run of ${name}?`,
        text: 'Changes already stored are kept, and the index stays consistent. The next run continues from there.',
        confirmLabel: 'Cancel the run',
        isDangerous: true,
      }}
      done="cancellation requested. The run stops at its next step."
      act={(api) => api.post('/api/v1/executions/{id}/cancel', { path: { id: execution.id } })}
      onDone={onDone}
    />
  );
}

/** The service retries a failed purge automatically. */
function isRetryable({ status, handler }: Execution): boolean {
  return RETRYABLE.includes(status) && handler !== 'purge';
}

export function RetryButton({ execution, name, onDone }: ExecutionProps) {
  if (!isRetryable(execution)) return null;
  return (
    <ActionButton
      label="Retry"
      subject={name}
      role="operator"
      confirmation={{
        title: `Retry this run of ${name}?`,
        text: 'A new run with the same work and limits is queued. This run stays in the history unchanged.',
      }}
      done="retry queued."
      act={async (api) => {
        const retry = await api.post('/api/v1/executions/{id}/retry', { path: { id: execution.id } });
        location.hash = linkTo(`history/${retry.id}`);
      }}
      onDone={onDone}
    />
  );
}

/** Links to the run that this one retries, and to the one that retries it. */
export function RetryLinks({ execution }: { execution: Execution }) {
  const { id, repository_id, queued_at, retry_of_execution_id } = execution;
  const later = useApi(isRetryable(execution) ? '/api/v1/executions' : null, {
    query: { repository_id, trigger: 'manual', from: queued_at, limit: MAX_ROWS },
  });
  const retry = later.data?.items.findLast((candidate) => candidate.retry_of_execution_id === id);
  if (later.failure) return <span class="bad">{`unknown: ${later.failure.message}`}</span>;
  return (
    <>
      {retry_of_execution_id !== null && (
        <a href={linkTo(`history/${retry_of_execution_id}`)}>Retry of an earlier run</a>
      )}
      {retry && <a href={linkTo(`history/${retry.id}`)}>{`Retried: ${retry.status}`}</a>}
      {retry_of_execution_id === null && !retry && <span class="faint">none</span>}
    </>
  );
}
