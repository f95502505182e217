/**
 * The meaning of a failure for the caller. The retry policy depends on the kind alone, never on the message.
 *
 * - `temporary`: a retry may succeed (network, 5xx, restart).
 * - `rate_limited`: a retry after `retryAt` may succeed.
 * - `invalid`: the input is wrong; a retry fails until it is changed.
 * - `not_found`, `unauthorized`, `forbidden`: as in HTTP; they do not prove that something was deleted.
 * - `conflict`: the current state does not allow it (held lease, changed revision, mismatching collection).
 * - `cancelled`: the caller's own signal fired.
 * - `fence_lost`: another attempt owns this run; stop at once, write nothing.
 * - `internal`: a bug or a broken invariant.
 */
export type ErrorKind =
  | 'temporary'
  | 'rate_limited'
  | 'invalid'
  | 'not_found'
  | 'unauthorized'
  | 'forbidden'
  | 'conflict'
  | 'cancelled'
  | 'fence_lost'
  | 'internal';

export interface RepotideErrorOptions {
  cause?: unknown;
  /** For `rate_limited`: the earliest time for a retry. */
  retryAt?: Date;
  /** Machine-readable facts without secrets or file content. The API shows them, so keys are in snake_case. */
  details?: Readonly<Record<string, unknown>>;
}

/**
 * The only error class that libraries throw to each other. Adapters translate vendor errors into it.
 * `code` is stable and documented (snake_case, e.g. `branch_not_found`); `message` says what was found,
 * what was expected and what to change, and never contains a secret.
 */
export class RepotideError extends Error {
  override readonly name = 'RepotideError';
  readonly retryAt: Date | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    readonly kind: ErrorKind,
    readonly code: string,
    message: string,
    options: RepotideErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.retryAt = options.retryAt;
    this.details = options.details ?? {};
  }
}

/** Converts any thrown value to a {@link RepotideError}: an abort to `cancelled`, an unknown error to `internal`. */
export function toRepotideError(thrown: unknown): RepotideError {
  if (thrown instanceof RepotideError) return thrown;
  if (!isErrorLike(thrown))
    return new RepotideError('internal', 'internal_error', String(thrown), { cause: thrown });
  if (thrown.name !== 'AbortError')
    return new RepotideError('internal', 'internal_error', thrown.message, { cause: thrown });
  return new RepotideError('cancelled', 'cancelled', 'The operation was cancelled.', { cause: thrown });
}

/** The message of a thrown value. Node reports a failed connection with one error for each address of the host's name. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === '')
    return [...new Set(thrown.errors.map(messageOf))].join('; ');
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The fields of a log line about an error. */
export function errorFields(thrown: unknown): { error_code: string; error: string } {
  const { code, message } = toRepotideError(thrown);
  return { error_code: code, error: message };
}

/** Checks the shape, because errors of another realm (such as a `node:vm` context) are no instances of this `Error`. */
function isErrorLike(thrown: unknown): thrown is Pick<Error, 'name' | 'message'> {
  if (typeof thrown !== 'object' || thrown === null || !('name' in thrown) || !('message' in thrown))
    return false;
  return typeof thrown.name === 'string' && typeof thrown.message === 'string';
}

/** Whether repeating the same call may succeed without any change by a user. */
export function isRetryable(error: RepotideError): boolean {
  return error.kind === 'temporary' || error.kind === 'rate_limited';
}

/**
 * Throws the signal's reason as a {@link RepotideError} when it has fired.
 * Call before each side effect and after each slow call.
 */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw toRepotideError(signal.reason);
}

/** Waits for the work, until the signal fires; the work itself continues. @throws RepotideError with the signal's reason. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  throwIfAborted(signal);
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(toRepotideError(signal.reason));
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Resolves after `ms`. @throws RepotideError with the signal's reason as soon as the signal fires. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(toRepotideError(signal.reason));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/** Reads a `Retry-After` header: whole or decimal seconds, or an HTTP date. Null when it is absent or unreadable. */
export function parseRetryAfter(header: string | null | undefined, nowMs: number): Date | null {
  const value = header?.trim() ?? '';
  if (/^\d{1,9}(\.\d+)?$/.test(value)) return new Date(nowMs + Number(value) * 1000);
  const dateMs = Date.parse(value);
  return Number.isNaN(dateMs) ? null : new Date(dateMs);
}
