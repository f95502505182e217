import { ApiFailure, type Api } from './api.js';
import { followRun } from './follow-run.js';
import { type Schemas } from './schema.js';

const RECONNECT_MS = 2_000;
const NO_CONTENT = 204;

/**
 * Follows a run until it ends or the signal fires. `EventSource` cannot send a token in a header, so this reads the
 * stream with `fetch`.
 * @throws ApiFailure when the service refuses the request.
 */
export async function followExecution(
  api: Pick<Api, 'send'>,
  executionId: string,
  onProgress: (progress: Schemas['ProgressDto']) => void,
  signal: AbortSignal,
): Promise<void> {
  const open = async (lastEventId: string | null) => {
    const headers = { Accept: 'text/event-stream', ...(lastEventId && { 'Last-Event-ID': lastEventId }) };
    const response = await api.send(`./api/v1/executions/${executionId}/events`, { headers, signal });
    return response.status === NO_CONTENT ? null : response.body;
  };
  const check = (error: unknown): void => {
    const isRefused = error instanceof ApiFailure && error.status >= 400 && error.status < 500;
    if (signal.aborted || isRefused) throw error;
  };
  await followRun({ open, onProgress, check, pause: () => pause(RECONNECT_MS, signal) });
}

function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, durationMs);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
