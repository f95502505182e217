import { type ComponentChildren } from 'preact';
import { type ApiFailure } from '../api/api.js';
import { type Loaded } from '../state/use-load.js';

export function FailureNotice({ failure, onRetry }: { failure: ApiFailure; onRetry?: () => void }) {
  return (
    <div class="notice notice-bad" role="alert">
      <p>
        <strong>{titleOf(failure)}</strong> {failure.message}
      </p>
      <p class="faint">
        <code>{failure.code}</code>
        {failure.requestId !== null && (
          <>
            {' '}
            request <code>{failure.requestId}</code>
          </>
        )}
      </p>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

function titleOf({ status }: ApiFailure): string {
  if (status === 0) return 'No answer.';
  if (status === 403) return 'Not allowed.';
  if (status === 404) return 'Not there.';
  return status >= 500 ? 'The service has a problem.' : 'Refused.';
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  );
}

/** What is shown is not the newest: one line, as it may stand above each part of a page. */
function StaleNotice({ failure, onRetry }: { failure: ApiFailure; onRetry: () => void }) {
  return (
    <div class="notice notice-bad notice-aside" role="alert">
      <p>
        <strong>{titleOf(failure)}</strong> {failure.message} Below is what was answered last.
      </p>
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}

/** Shows what was loaded; while there is nothing yet, that; and what failed beside what is known from before. */
export function Showing<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  return (
    <>
      {of.failure && of.data === null && <FailureNotice failure={of.failure} onRetry={of.reload} />}
      {of.failure && of.data !== null && <StaleNotice failure={of.failure} onRetry={of.reload} />}
      {of.data !== null && children(of.data)}
      {of.data === null && !of.failure && (
        <p class="faint" aria-busy="true">
          Loading…
        </p>
      )}
    </>
  );
}
