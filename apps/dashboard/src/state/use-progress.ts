import { useEffect, useState } from 'preact/hooks';
import { type Progress } from '../api/answers.js';
import { followExecution, isOver } from '../api/follow.js';
import { useSession } from './session.js';

const POLL_MS = 3_000;

/**
 * The progress of a run as it changes.
 * @param isStreamed false asks now and then instead: a browser keeps six connections to a host, and a stream holds one.
 * @param onEnd called once when the run has ended.
 */
export function useProgress(executionId: string, isStreamed: boolean, onEnd: () => void): Progress | null {
  const { api } = useSession();
  const [progress, setProgress] = useState<Progress | null>(null);

  useEffect(() => {
    const gone = new AbortController();
    const show = (news: Progress): void => {
      if (gone.signal.aborted) return;
      setProgress(news);
      if (isOver(news)) onEnd();
    };
    if (isStreamed) {
      followExecution(api, executionId, show, gone.signal).catch(() => undefined);
      return () => gone.abort();
    }
    const ask = (): void => {
      api.get<Progress>(`api/v1/progress/${executionId}`, gone.signal).then(show, () => undefined);
    };
    ask();
    const timer = setInterval(ask, POLL_MS);
    return () => {
      gone.abort();
      clearInterval(timer);
    };
  }, [api, executionId, isStreamed]);

  return progress;
}
