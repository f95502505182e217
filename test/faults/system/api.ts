/** Limit of one request. A pod that needs longer counts as unreachable. */
const REQUEST_TIMEOUT_MS = 8_000;

/** The result of a request; `status` 0 means that no answer came. */
export interface ApiAnswer {
  status: number;
  body: Record<string, unknown>;
}

/** Calls a pod as an administrator. Never throws, because unanswered requests are expected under faults. */
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
