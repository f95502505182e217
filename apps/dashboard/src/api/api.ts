import { type ResponseBody, type Input, type Route, type Schemas } from './schema.js';

type Query = Readonly<Record<string, unknown>>;

/** A failed request, with a message that can be shown. */
export class ApiFailure extends Error {
  constructor(
    message: string,
    /** 0 without a response. */
    readonly status: number,
    readonly code: string,
    readonly requestId: string | null = null,
    /** The refused fields of the request. */
    readonly fields: readonly string[] = [],
    /** The part of a cron expression that is at fault. */
    readonly cronField: string | null = null,
  ) {
    super(message);
  }
}

interface Request {
  path?: Query;
  query?: Query;
  body?: object;
  headers?: Record<string, string>;
}

/** @returns the path with the parameters that have a value. Lists are joined by commas. */
export function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => (value ?? '') !== '');
  const parameters = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return given.length === 0 ? path : `${path}?${parameters.toString()}`;
}

/**
 * The service's API with one token, which is sent in a header only, or with the session of a person, whose cookie the browser
 * sends and no script can read. All methods throw `ApiFailure`.
 */
export class Api {
  /**
   * @param token null: the session of the browser.
   * @param onRejected called when the token or the session is not (or no longer) accepted.
   */
  constructor(
    private readonly token: string | null,
    private readonly onRejected: () => void,
  ) {}

  get<R extends Route<'get'>>(route: R, input: Input<'get', R>, signal?: AbortSignal) {
    return this.call<ResponseBody<'get', R>>('GET', route, input, signal);
  }

  post<R extends Route<'post'>>(route: R, input: Input<'post', R>, signal?: AbortSignal) {
    return this.call<ResponseBody<'post', R>>('POST', route, input, signal);
  }

  /** @param revision of the row that was read: a change by someone else since is not overwritten. */
  patch<R extends Route<'patch'>>(route: R, input: Input<'patch', R>, revision: number) {
    const headers = { 'If-Match': `"${revision}"` };
    return this.call<ResponseBody<'patch', R>>('PATCH', route, { ...input, headers });
  }

  delete<R extends Route<'delete'>>(route: R, input: Input<'delete', R>) {
    return this.call<ResponseBody<'delete', R>>('DELETE', route, input);
  }

  /** @param path relative to the page, which may be served below a prefix. */
  async send(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.token !== null) headers.set('Authorization', `Bearer ${this.token}`);
    const response = await fetch(path, { ...init, headers, cache: 'no-store' }).catch((thrown: unknown) => {
      if (init.signal?.aborted) throw thrown;
      throw new ApiFailure('The service is not responding. It may be restarting.', 0, 'no_response');
    });
    if (response.ok) return response;
    if (response.status === 401) this.onRejected();
    throw await failureOf(response);
  }

  private async call<T>(
    method: string,
    route: string,
    { path = {}, query = {}, body, headers }: Request,
    signal?: AbortSignal,
  ): Promise<T> {
    const filled = route.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name])));
    const response = await this.send(withQuery(`.${filled}`, query), {
      method,
      ...(signal && { signal }),
      headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return (text === '' ? null : JSON.parse(text)) as T;
  }
}

async function failureOf(response: Response): Promise<ApiFailure> {
  const problem = (await response.json().catch(() => ({}))) as Partial<
    Schemas['ProblemDto'] & { cron_field: string }
  >;
  return new ApiFailure(
    problem.detail ?? problem.title ?? `The service responded with HTTP ${response.status}.`,
    response.status,
    problem.code ?? `http_${response.status}`,
    problem.request_id ?? response.headers.get('x-request-id'),
    problem.errors?.map(({ field }) => field) ?? [],
    problem.cron_field ?? null,
  );
}
