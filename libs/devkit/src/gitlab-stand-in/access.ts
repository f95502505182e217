import { type IncomingHttpHeaders } from 'node:http';
import { type TokenSeen } from '../http/stand-in-server.js';
import { problem } from './api-problem.js';

export type TokenScope = 'api' | 'read_api' | 'read_repository' | 'read_user';

export interface AccessToken {
  /** Identifies the token in a project's `roles` and in limits, so that the value is never shown. */
  name: string;
  value: string;
  scopes: readonly TokenScope[];
}

type TokenState = 'active' | 'expired' | 'revoked';

/** The caller; a null name means that it is anonymous. */
export interface Caller {
  name: string | null;
  scopes: readonly TokenScope[];
}

const ANONYMOUS: Caller = { name: null, scopes: [] };

const REFUSALS: Record<Exclude<TokenState, 'active'>, string> = {
  expired: 'Token is expired. You can either do re-authorization or token refresh.',
  revoked: 'Token was revoked. You have to re-authorize from the user.',
};

/** The valid access tokens. */
export class TokenRegistry {
  private readonly known = new Map<string, { token: AccessToken; state: TokenState; endsAtMs: number }>();

  constructor(private readonly now: () => number) {}

  /** Replaces name, scopes and expiry of an existing token. @param endsAtMs milliseconds since 1970. */
  add(token: AccessToken, endsAtMs = Infinity): void {
    this.known.set(token.value, { token, state: 'active', endsAtMs });
  }

  revoke(value: string): void {
    const entry = this.known.get(value);
    if (entry) entry.state = 'revoked';
  }

  setState(name: string, state: TokenState): void {
    for (const entry of this.known.values()) if (entry.token.name === name) entry.state = state;
  }

  seen(headers: IncomingHttpHeaders): TokenSeen {
    const value = presentedToken(headers);
    if (value === null) return 'absent';
    return this.stateOf(value) === 'active' ? 'accepted' : 'rejected';
  }

  /** @throws ApiProblem 401 for an unknown, expired or revoked token. */
  callerOf(headers: IncomingHttpHeaders): Caller {
    const value = presentedToken(headers);
    if (value === null) return ANONYMOUS;
    const entry = this.known.get(value);
    const state = this.stateOf(value);
    if (entry === undefined || state === null) throw problem(401, { message: '401 Unauthorized' });
    if (state !== 'active') {
      throw problem(401, { error: 'invalid_token', error_description: REFUSALS[state] });
    }
    return entry.token;
  }

  private stateOf(value: string): TokenState | null {
    const entry = this.known.get(value);
    if (entry?.state !== 'active') return entry?.state ?? null;
    return entry.endsAtMs > this.now() ? 'active' : 'expired';
  }
}

/** @throws ApiProblem 403 `insufficient_scope` when a token has none of the scopes. */
export function requireScope(caller: Caller, allowed: readonly TokenScope[]): void {
  if (caller.name === null || caller.scopes.some((scope) => allowed.includes(scope))) return;
  throw problem(403, {
    error: 'insufficient_scope',
    error_description: 'The request requires higher privileges than provided by the access token.',
    scope: allowed.join(' '),
  });
}

function presentedToken(headers: IncomingHttpHeaders): string | null {
  const own = headers['private-token'];
  if (typeof own === 'string') return own;
  const [scheme = '', value = ''] = (headers.authorization ?? '').split(/ +/);
  if (value === '') return null;
  if (/^bearer$/i.test(scheme)) return value;
  // Git's protocol: the token is the password of any user.
  if (/^basic$/i.test(scheme))
    return Buffer.from(value, 'base64')
      .toString()
      .replace(/^[^:]*:/, '');
  return null;
}
