import { type Execution, type List } from '../api/answers.js';
import { withQuery } from '../api/api.js';
import { ActionButton } from '../parts/action-button.js';
import { linkTo } from '../state/route.js';
import { useAnswer } from '../state/use-load.js';

const RETRIED: readonly string[] = ['failed', 'partial', 'cancelled'];
/** A retry is asked for soon or never; one behind so many other runs is not looked for. */
const MOST = 100;

/** A purge is not among them: its repository is gone, and the service repeats it by itself. */
function isRetried({ status, handler }: Execution): boolean {
  return RETRIED.includes(status) && handler !== 'purge';
}

interface RetryButtonProps {
  execution: Execution;
  name: string;
  onDone: () => void;
}

export function RetryButton({ execution, name, onDone }: RetryButtonProps) {
  if (!isRetried(execution)) return null;
  return (
    <ActionButton
      label="Retry"
      subject={name}
      role="operator"
      question={{
        title: `Retry this run of ${name}?`,
        text: 'The same work with the same limits is queued as a new run. This one stays in the history as it is.',
      }}
      done="the retry is queued."
      act={async (api) => {
        const next = await api.post<Execution>(`api/v1/executions/${execution.id}/retry`);
        location.hash = linkTo(`history/${next.id}`);
      }}
      onDone={onDone}
    />
  );
}

/** To the run that this one repeats, and to the one that repeats it. */
export function RetryLinks({ execution }: { execution: Execution }) {
  const { id, repository_id, queued_at, retry_of_execution_id } = execution;
  const since = { repository_id, trigger: 'manual', from: queued_at, limit: MOST };
  const later = useAnswer<List<Execution>>(
    isRetried(execution) ? withQuery('api/v1/executions', since) : null,
  );
  const next = later.data?.items.findLast((candidate) => candidate.retry_of_execution_id === id);
  if (later.failure) return <span class="bad">{`not known: ${later.failure.message}`}</span>;
  return (
    <>
      {retry_of_execution_id !== null && (
        <a href={linkTo(`history/${retry_of_execution_id}`)}>of a former run</a>
      )}
      {next && <a href={linkTo(`history/${next.id}`)}>{`repeated later: ${next.status}`}</a>}
      {retry_of_execution_id === null && !next && <span class="faint">none</span>}
    </>
  );
}
