/**
 * Why a request got no answer: the system's error code of the innermost cause (fetch itself only says "fetch failed"), or
 * `PROXY_407` when a forward proxy refused the tunnel with that status. Null: nothing names the reason.
 *
 * Checks the shape only: errors of another realm are no instances of the `Error` seen here.
 */
export function reasonOfNoAnswer(thrown: unknown): string | null {
  if (typeof thrown !== 'object' || thrown === null) return null;
  const inner = 'cause' in thrown ? reasonOfNoAnswer(thrown.cause) : null;
  if (inner !== null) return inner;
  const status = 'message' in thrown ? TUNNEL_REFUSED.exec(String(thrown.message))?.[1] : undefined;
  if (status !== undefined) return `PROXY_${status}`;
  return 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : null;
}

/** The words of undici, the HTTP client of Node. */
const TUNNEL_REFUSED = /^Proxy response \((\d{3})\) !== 200 when HTTP Tunneling/;

/** What to check after a reason of {@link reasonOfNoAnswer} or a status 407; empty for any other. */
export function proxyAdvice(reason: string | number | null): string {
  if (reason === 407 || reason === 'PROXY_407')
    return ' The forward proxy expects a user and a password: set them in HTTPS_PROXY and HTTP_PROXY.';
  if (typeof reason === 'string' && reason.startsWith('PROXY_'))
    return ' The forward proxy refused the connection: allow it there, or add the host to NO_PROXY.';
  return '';
}
