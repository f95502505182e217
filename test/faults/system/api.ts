/** Beyond it the pod is as good as gone for this request. */
const REQUEST_TIMEOUT_MS = 8_000;

/** What a request ended with; `status` 0: no answer at all. */
export interface ApiAnswer {
  status: number;
  body: Record<string, unknown>;
}

/** Asks a pod as an administrator. Never throws: under faults no answer is an answer. */
export async function ask(
  url: string,
  token: string,
  method: string,
  path: string,
  body?: object,
): Promise<ApiAnswer> {
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    };
  } catch {
    return { status: 0, body: {} };
  }
}
