import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ApiTokens } from '@adapters/postgres';
import { type ApiToken, Clock, type Page, type PageRequest, type Role, scopeOf } from '@core/domain';
import { type Config } from '@platform/config';
import { registerSecrets } from '@platform/observability';
import { CONFIG } from '../injection-tokens.js';
import { refusedValue } from '../http/problem.js';

export interface ShownToken extends ApiToken {
  /** Whether the token is neither revoked nor expired. */
  isValid: boolean;
}

const DAY_MS = 86_400_000;

/** Creates, rotates and revokes API tokens. */
@Injectable()
export class TokensService {
  constructor(
    private readonly tokens: ApiTokens,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<Config, 'auth'>,
  ) {}

  /** @throws invalid `value_refused` for an expiry that is not in the future, or after the longest life. */
  async create(
    request: { name: string; role: Role; scope: readonly string[] | null; expiresAt: Date | null },
    createdBy: string,
  ): Promise<ShownToken & { token: string }> {
    this.assertLife(request.expiresAt);
    const token = makeToken();
    registerSecrets([token]);
    const record = await this.tokens.create({
      ...request,
      expiresAt: request.expiresAt ?? this.latestEnd(),
      scope: scopeOf(request.scope),
      tokenHash: hashToken(token),
      createdBy,
    });
    return { ...shown(record), token };
  }

  /**
   * Replaces a token by another one. The former is accepted until the overlap has passed.
   * @throws invalid as {@link create}; not_found `token_not_found`; conflict `token_not_valid`, `token_configured`.
   */
  async rotate(
    tokenId: string,
    { overlapSeconds, expiresAt }: { overlapSeconds: number; expiresAt: Date | null },
    createdBy: string,
  ): Promise<ShownToken & { token: string }> {
    this.assertLife(expiresAt);
    const token = makeToken();
    registerSecrets([token]);
    const record = await this.tokens.rotate(tokenId, {
      ...{ tokenHash: hashToken(token), createdBy },
      ...{ overlapSeconds, expiresAt, latest: this.latestEnd() },
    });
    return { ...shown(record), token };
  }

  async list(page: PageRequest): Promise<Page<ShownToken>> {
    const { items, total } = await this.tokens.list(page);
    return { items: items.map(shown), total };
  }

  /** Repeating is harmless. @throws not_found `token_not_found`; conflict `last_admin_token`. */
  async revoke(tokenId: string): Promise<void> {
    await this.tokens.revoke(tokenId);
  }

  /** The end of the longest life of a token that begins now; null: there is no limit. */
  private latestEnd(): Date | null {
    const { tokenMaxDays: days } = this.config.auth;
    return days === 0 ? null : new Date(this.clock.now().getTime() + days * DAY_MS);
  }

  private assertLife(expiresAt: Date | null): void {
    if (expiresAt === null) return;
    const latest = this.latestEnd();
    const refuse = (message: string): never => {
      throw refusedValue('expires_at', message, expiresAt.toISOString());
    };
    if (expiresAt <= this.clock.now()) refuse('expires_at must be in the future.');
    if (latest !== null && expiresAt > latest)
      refuse(
        `expires_at must be at most ${this.config.auth.tokenMaxDays} days from now (API_TOKEN_MAX_DAYS), ` +
          `which is ${latest.toISOString()}.`,
      );
  }
}

function shown(token: ApiToken): ShownToken {
  const isExpired = token.expiresAt !== null && token.expiresAt.getTime() <= Date.now();
  return { ...token, isValid: token.revokedAt === null && !isExpired };
}

/** How a token is stored and looked up: SHA-256, hex. Tokens are long and random, so no slow hash is needed. */
export function hashToken(clearText: string): string {
  return createHash('sha256').update(clearText).digest('hex');
}

/** A new token: 192 random bits after a prefix that secret scanners can search for. */
export function makeToken(): string {
  return `rtd_${randomBytes(24).toString('base64url')}`;
}

/**
 * Ensures that an admin token exists. A configured token replaces the former one. Without one, and without an admin token
 * in the database, generates a random token.
 * @returns the clear text of a generated token, which is stored nowhere; otherwise null.
 */
export async function ensureAdminToken(
  tokens: ApiTokens,
  configured: string | undefined,
): Promise<string | null> {
  if (configured !== undefined) {
    await tokens.replaceAdmin({ name: 'REPOTIDE_ADMIN_TOKEN', tokenHash: hashToken(configured) });
    return null;
  }
  if (await tokens.hasAdmin()) return null;
  const clearText = makeToken();
  registerSecrets([clearText]);
  await tokens.ensure({ name: 'generated at first start', role: 'admin', tokenHash: hashToken(clearText) });
  return clearText;
}
