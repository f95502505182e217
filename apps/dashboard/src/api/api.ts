/** A refused or failed request, in words that can be shown. */
export class ApiFailure extends Error {
  constructor(
    message: string,
    /** 0 when the service did not answer at all. */
    readonly status: number,
    readonly code: string,
    readonly requestId: string | null = null,
  ) {
    super(message);
  }
}

interface Problem {
  title?: string;
  detail?: string;
  code?: string;
  request_id?: string;
}

export type Query = Readonly<Record<string, string | number | null | undefined>>;

/** @returns the path with the parameters that have a value. */
export function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  );
  const parameters = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return given.length === 0 ? path : `${path}?${parameters.toString()}`;
}

/** The service's API with one token, which goes into the header and nowhere else. */
export class Api {
  /** @param onRejected called when the token is not (or no longer) accepted. */
  constructor(
    private readonly token: string,
    private readonly onRejected: () => void,
  ) {}

  get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return this.json<T>('GET', path, undefined, signal);
  }

  post<T>(path: string, body?: object, signal?: AbortSignal): Promise<T> {
    return this.json<T>('POST', path, body, signal);
  }

  delete<T>(path: string, body?: object): Promise<T> {
    return this.json<T>('DELETE', path, body);
  }

  /** @throws ApiFailure unless the answer is a success. */
  async send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('Authorization', `Bearer ${this.token}`);
    let response: Response;
    try {
      response = await fetch(path, { ...init, headers, cache: 'no-store' });
    } catch (thrown) {
      if (init.signal?.aborted) throw thrown;
      throw new ApiFailure('The service does not answer. It may be restarting.', 0, 'no_answer');
    }
    if (response.ok) return response;
    if (response.status === 401) this.onRejected();
    throw await failureOf(response);
  }

  private async json<T>(method: string, path: string, body?: object, signal?: AbortSignal): Promise<T> {
    const response = await this.send(path, {
      method,
      ...(signal && { signal }),
      ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
    });
    const text = await response.text();
    return (text === '' ? null : JSON.parse(text)) as T;
  }
}

async function failureOf(response: Response): Promise<ApiFailure> {
  const problem = await response
    .json()
    .then((body) => body as Problem)
    .catch((): Problem => ({}));
  return new ApiFailure(
    problem.detail ?? problem.title ?? `The service answered ${response.status}.`,
    response.status,
    problem.code ?? `http_${response.status}`,
    problem.request_id ?? response.headers.get('x-request-id'),
  );
}
