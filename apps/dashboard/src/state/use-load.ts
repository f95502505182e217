import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Api, ApiFailure } from '../api/api.js';
import { type ResponseBody, type Input, type Route } from '../api/schema.js';
import { useSession } from './session.js';

export interface Loaded<T> {
  /** The last response; null before the first. */
  data: T | null;
  /** Why the last request failed; null after a success. With data: the data is out of date. */
  failure: ApiFailure | null;
  /** The data answer the former request; the new one is under way. */
  isFormer?: boolean;
  reload: () => void;
}

/**
 * Loads data, and reloads it regularly while the page is visible.
 * @param key identifies the request: when it changes, the former response is dropped.
 */
export function useLoad<T>(
  key: string,
  load: (api: Api, signal: AbortSignal) => Promise<T>,
  everyMs: number | null = null,
): Loaded<T> {
  const { api } = useSession();
  const [state, setState] = useState({ key, data: null as T | null, failure: null as ApiFailure | null });
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  const newest = useRef(load);
  newest.current = load;

  useEffect(() => {
    const abort = new AbortController();
    newest.current(api, abort.signal).then(
      (data) => {
        if (!abort.signal.aborted) setState({ key, data, failure: null });
      },
      (thrown: unknown) => {
        if (abort.signal.aborted) return;
        const failure = failureOf(thrown);
        setState((former) => ({ key, data: former.key === key ? former.data : null, failure }));
      },
    );
    return () => abort.abort();
  }, [api, key, round]);

  useEffect(() => {
    if (everyMs === null) return undefined;
    const refresh = (): void => {
      if (!document.hidden) reload();
    };
    const timer = setInterval(refresh, everyMs);
    document.addEventListener('visibilitychange', refresh);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', refresh);
    };
  }, [everyMs, reload]);

  return state.key === key ? { ...state, reload } : { data: null, failure: null, reload };
}

/** @param route of the API; null sends no request. */
export function useApi<R extends Route<'get'>>(
  route: R | null,
  input: Input<'get', R>,
  everyMs: number | null = null,
): Loaded<ResponseBody<'get', R>> {
  return useLoad(
    JSON.stringify([route, input]),
    (api, signal) => (route === null ? new Promise(() => undefined) : api.get(route, input, signal)),
    everyMs,
  );
}

/**
 * Shows the former data until those of a new request come, so that a list neither flickers nor loses the focus when its
 * order, its page or a filter changes.
 */
export function useSteady<T>(loaded: Loaded<T>): Loaded<T> {
  const former = useRef<T | null>(null);
  if (loaded.data !== null) former.current = loaded.data;
  if (loaded.data !== null || loaded.failure !== null || former.current === null) return loaded;
  return { ...loaded, data: former.current, isFormer: true };
}

/** How long typing must pause until something is sent for it. */
const PAUSE_MS = 250;

/** The value, once it has not changed for a moment. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

export function failureOf(thrown: unknown): ApiFailure {
  // `instanceof` would fail: the part of the page that is loaded later contains a second copy of the class.
  if (thrown instanceof Error && 'requestId' in thrown) return thrown as ApiFailure;
  return new ApiFailure('The response could not be read.', 0, 'unreadable_response');
}
