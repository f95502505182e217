import { Inject, Injectable } from '@nestjs/common';
import { toRepotideError, type Caller, Clock, Logger, TokenRegistry, TokenStore } from '@core/domain';
import { type Config } from '@platform/config';
import { hashToken } from './token-hash.js';
import { CONFIG } from '../injection-tokens.js';
import { isJsonWebToken, JsonWebTokenVerifier, rejected } from './json-web-token.js';

/** `last_used_at` is true to the minute, and costs one write in it. */
const USE_NOTED_EVERY_MS = 60_000;

/** Tells who stands behind a bearer token. */
@Injectable()
export class Authenticator {
  private readonly verifier: JsonWebTokenVerifier | null;
  private readonly notedAtMs = new Map<string, number>();

  constructor(
    private readonly tokens: TokenStore,
    private readonly registry: TokenRegistry,
    private readonly clock: Clock,
    private readonly logger: Logger,
    @Inject(CONFIG) config: Pick<Config, 'auth'>,
  ) {
    this.verifier = config.auth.oidc ? new JsonWebTokenVerifier(config.auth.oidc) : null;
  }

  /** @throws HttpProblem 401 `token_rejected`; of a JSON web token also what its verifier throws. */
  async callerOf(bearerToken: string): Promise<Caller> {
    if (this.verifier && isJsonWebToken(bearerToken)) return this.verifier.callerOf(bearerToken);
    // Compared by hash in an index: timing tells nothing about the token.
    const token = await this.tokens.findByHash(hashToken(bearerToken));
    if (!token) throw rejected();
    await this.noteUse(token.id);
    return { id: token.id, name: token.name, role: token.role };
  }

  private async noteUse(tokenId: string): Promise<void> {
    const now = this.clock.monotonicMs();
    if (now - (this.notedAtMs.get(tokenId) ?? -Infinity) < USE_NOTED_EVERY_MS) return;
    this.notedAtMs.set(tokenId, now);
    try {
      await this.registry.noteUse(tokenId);
    } catch (thrown) {
      // Good to know for people, and no reason to refuse a good token.
      this.logger.warn({ error_code: toRepotideError(thrown).code }, 'Use of a token could not be noted');
    }
  }
}
