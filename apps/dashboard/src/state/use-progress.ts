import { useEffect, useState } from 'preact/hooks';
import { followExecution } from '../api/follow.js';
import { isOver } from '../api/follow-run.js';
import { type Schemas } from '../api/schema.js';
import { useSession } from './session.js';

type Progress = Schemas['ProgressDto'];

const POLL_MS = 3_000;

/**
 * The progress of a run as it changes.
 * @param isStreamed false polls: a browser opens at most six connections to a host, and a stream occupies one.
 * @param onEnd called once when the run has ended.
 */
export function useProgress(executionId: string, isStreamed: boolean, onEnd: () => void): Progress | null {
  const { api } = useSession();
  const [progress, setProgress] = useState<Progress | null>(null);

  useEffect(() => {
    const abort = new AbortController();
    const show = (next: Progress): void => {
      if (abort.signal.aborted) return;
      setProgress(next);
      if (isOver(next)) onEnd();
    };
    if (isStreamed) {
      followExecution(api, executionId, show, abort.signal).catch(() => undefined);
      return () => abort.abort();
    }
    const poll = (): void => {
      const input = { path: { id: executionId } };
      api.get('/api/v1/progress/{id}', input, abort.signal).then(show, () => undefined);
    };
    poll();
    const timer = setInterval(poll, POLL_MS);
    return () => {
      abort.abort();
      clearInterval(timer);
    };
  }, [api, executionId, isStreamed]);

  return progress;
}
