import { Inject, Injectable } from '@nestjs/common';
import { ApiTokens, UserSessions } from '@adapters/postgres';
import { toRepotideError, type Caller, Clock, Logger } from '@core/domain';
import { type Config } from '@platform/config';
import { hashToken, makeToken } from './api-token.js';
import { CONFIG } from '../injection-tokens.js';
import { isSessionToken } from './session-cookie.js';
import { isJsonWebToken, JsonWebTokenVerifier, rejected } from './json-web-token.js';

/** `last_used_at` is accurate to a minute, so that a token costs at most one write per minute. */
const USE_NOTED_EVERY_MS = 60_000;

/** Identifies the caller by the bearer token, or by the token of a session. */
@Injectable()
export class Authenticator {
  private readonly verifier: JsonWebTokenVerifier | null;
  private readonly notedAtMs = new Map<string, number>();
  private readonly ownCallers = new Map<string, Caller>();

  constructor(
    private readonly tokens: ApiTokens,
    private readonly sessions: UserSessions,
    private readonly clock: Clock,
    private readonly logger: Logger,
    @Inject(CONFIG) private readonly config: Pick<Config, 'auth'>,
  ) {
    const { oidc } = config.auth;
    const audience = oidc?.audience;
    this.verifier = oidc && audience !== undefined ? new JsonWebTokenVerifier({ ...oidc, audience }) : null;
  }

  /** A token of an admin that this process alone accepts. It is stored nowhere. @param name of the caller in the audit log. */
  makeOwnToken(id: string, name: string): string {
    const token = makeToken();
    this.ownCallers.set(hashToken(token), { id, name, role: 'admin', scope: null });
    return token;
  }

  /** @throws HttpProblem 401 `token_rejected`; for a JSON web token, also the errors of its verifier. */
  async callerOf(bearerToken: string): Promise<Caller> {
    if (isSessionToken(bearerToken)) return this.personOf(bearerToken);
    if (this.verifier && isJsonWebToken(bearerToken)) return this.verifier.callerOf(bearerToken);
    const own = this.ownCallers.get(hashToken(bearerToken));
    if (own) return own;
    // An index lookup of the hash: its timing reveals nothing about the token.
    const token = await this.tokens.findByHash(hashToken(bearerToken));
    if (!token) throw rejected();
    await this.recordUse(token.id);
    return { id: token.id, name: token.name, role: token.role, scope: token.scope };
  }

  private async personOf(sessionToken: string): Promise<Caller> {
    const { signIn } = this.config.auth;
    const person = signIn && (await this.sessions.use(hashToken(sessionToken), signIn.idleSeconds));
    if (!person) throw rejected();
    return person;
  }

  private async recordUse(tokenId: string): Promise<void> {
    const now = this.clock.monotonicMs();
    if (now - (this.notedAtMs.get(tokenId) ?? -Infinity) < USE_NOTED_EVERY_MS) return;
    this.notedAtMs.set(tokenId, now);
    try {
      await this.tokens.recordUse(tokenId);
    } catch (thrown) {
      // `last_used_at` is only information: a failed update must not reject a valid token.
      this.logger.warn({ error_code: toRepotideError(thrown).code }, 'Use of a token could not be recorded');
    }
  }
}
