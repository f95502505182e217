import { type Request, type Response } from 'express';
import { HttpProblem } from '../http/problem.js';

/** What the value of a session's cookie begins with, so that it is no API token. */
const SESSION_PREFIX = 'rts_';
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** Whether a token belongs to the session of a person. */
export function isSessionToken(token: string): boolean {
  return token.startsWith(SESSION_PREFIX);
}

export function sessionToken(random: string): string {
  return `${SESSION_PREFIX}${random}`;
}

/** A cookie of this service at its public address. */
export class Cookie {
  readonly name: string;
  private readonly path: string;
  private readonly isSecure: boolean;

  /** @param publicUrl without a trailing slash. */
  constructor(
    purpose: string,
    publicUrl: string,
    private readonly sameSite: 'strict' | 'lax',
  ) {
    const { protocol, pathname } = new URL(publicUrl);
    this.isSecure = protocol === 'https:';
    this.path = pathname;
    // Browsers accept these prefixes only over TLS, so that no other host of the domain can set the cookie.
    const prefix = !this.isSecure ? '' : pathname === '/' ? '__Host-' : '__Secure-';
    this.name = `${prefix}repotide-${purpose}`;
  }

  /** Null when the request has none. Of several with this name, the browser sends that of the longest path first. */
  read(request: Request): string | null {
    for (const pair of (request.get('cookie') ?? '').split(';')) {
      const at = pair.indexOf('=');
      if (pair.slice(0, at).trim() === this.name) return pair.slice(at + 1).trim();
    }
    return null;
  }

  set(response: Response, value: string, maxAgeSeconds: number): void {
    response.cookie(this.name, value, { ...this.attributes(), maxAge: maxAgeSeconds * 1000 });
  }

  clear(response: Response): void {
    response.clearCookie(this.name, this.attributes());
  }

  private attributes() {
    const { path, isSecure: secure, sameSite } = this;
    return { httpOnly: true, encode: String, path, secure, sameSite };
  }
}

/**
 * Refuses a request that a page of another site may have sent with the cookie of this one. Browsers set these headers, and
 * pages cannot change them.
 * @throws HttpProblem 403 `cross_site_request`.
 */
export function assertSameOrigin(request: Request, publicUrl: string): void {
  const [site, origin] = [request.get('sec-fetch-site'), request.get('origin')];
  const isOwn = origin === undefined ? undefined : origin === new URL(publicUrl).origin;
  if (
    SAFE_METHODS.includes(request.method) &&
    isOwn !== false &&
    [undefined, 'none', 'same-origin'].includes(site)
  )
    return;
  if (isOwn === true || (isOwn === undefined && site === 'same-origin')) return;
  const detail =
    'A session is accepted only from pages of this service. Open it at PUBLIC_URL, or send an API token.';
  throw new HttpProblem(403, 'cross_site_request', detail);
}
