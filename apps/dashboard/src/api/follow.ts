import { ApiFailure, type Api } from './api.js';
import { EventParser } from './event-parser.js';
import { type Schemas } from './schema.js';

type Progress = Schemas['ProgressDto'];

const RECONNECT_MS = 2_000;
const NO_CONTENT = 204;

/** Whether no more progress can come. */
export function isOver({ status }: Progress): boolean {
  return status === 'completed' || status === 'error';
}

/**
 * Follows a run until it ends or the signal fires, and reconnects when the stream breaks. `EventSource` cannot send a
 * token in a header, so this reads the stream with `fetch`.
 * @throws ApiFailure when the service refuses the request.
 */
export async function followExecution(
  api: Pick<Api, 'send'>,
  executionId: string,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<void> {
  const state = { lastEventId: null as string | null, isOver: false };
  const readOnce = async (): Promise<void> => {
    const headers: Record<string, string> = { Accept: 'text/event-stream' };
    if (state.lastEventId !== null) headers['Last-Event-ID'] = state.lastEventId;
    const response = await api.send(`./api/v1/executions/${executionId}/events`, { headers, signal });
    // No event follows the last one seen.
    state.isOver = response.status === NO_CONTENT;
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const parser = new EventParser();
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
      for (const event of parser.push(piece.value)) {
        // The other events report dropped events; the next progress event replaces those.
        if (event.name !== 'progress') continue;
        const progress = JSON.parse(event.data) as Progress;
        state.lastEventId = event.id ?? state.lastEventId;
        state.isOver = isOver(progress);
        onProgress(progress);
      }
    }
  };
  while (!signal.aborted && !state.isOver) {
    try {
      await readOnce();
    } catch (thrown) {
      if (signal.aborted) return;
      if (thrown instanceof ApiFailure && thrown.status >= 400 && thrown.status < 500) throw thrown;
    }
    if (!state.isOver) await pause(RECONNECT_MS, signal);
  }
}

function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, durationMs);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
