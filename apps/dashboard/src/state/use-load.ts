import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Api, ApiFailure } from '../api/api.js';
import { useSession } from './session.js';

export interface Loaded<T> {
  /** What was answered last; null before the first answer. */
  data: T | null;
  /** Why the newest request failed; null when it did not. With data: what is shown is old. */
  failure: ApiFailure | null;
  reload: () => void;
}

interface State<T> {
  key: string;
  data: T | null;
  failure: ApiFailure | null;
}

/**
 * Loads, and loads again every so often while the page can be seen.
 * @param key what is asked for: another key is another question, whose former answer is not shown.
 */
export function useLoad<T>(
  key: string,
  load: (api: Api, signal: AbortSignal) => Promise<T>,
  everyMs: number | null = null,
): Loaded<T> {
  const { api } = useSession();
  const [state, setState] = useState<State<T>>({ key, data: null, failure: null });
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  const newest = useRef(load);
  newest.current = load;

  useEffect(() => {
    const gone = new AbortController();
    newest.current(api, gone.signal).then(
      (data) => {
        if (!gone.signal.aborted) setState({ key, data, failure: null });
      },
      (thrown: unknown) => {
        if (gone.signal.aborted) return;
        const failure = failureOf(thrown);
        setState((former) => ({ key, data: former.key === key ? former.data : null, failure }));
      },
    );
    return () => gone.abort();
  }, [api, key, round]);

  useEffect(() => {
    if (everyMs === null) return undefined;
    const look = (): void => {
      if (!document.hidden) reload();
    };
    const timer = setInterval(look, everyMs);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [everyMs, reload]);

  return state.key === key ? { ...state, reload } : { data: null, failure: null, reload };
}

/** @param path of the API; null asks nothing. */
export function useAnswer<T>(path: string | null, everyMs: number | null = null): Loaded<T> {
  return useLoad<T>(
    path ?? '',
    (api, signal) => (path === null ? new Promise<T>(() => undefined) : api.get<T>(path, signal)),
    everyMs,
  );
}

export function failureOf(thrown: unknown): ApiFailure {
  if (thrown instanceof ApiFailure) return thrown;
  return new ApiFailure('The page could not read the answer.', 0, 'unreadable_answer');
}
