import { Injectable } from '@nestjs/common';
import { ApiTokens } from '@adapters/postgres';
import { type ApiToken, type Page, type PageRequest, type Role } from '@core/domain';
import { registerSecrets } from '@platform/observability';
import { InvalidRequest } from '../http/invalid-request.js';
import { hashToken, makeToken } from './token-hash.js';

export interface ShownToken extends ApiToken {
  /** Whether the token is neither revoked nor expired. */
  isValid: boolean;
}

/** Creates and revokes API tokens. */
@Injectable()
export class TokensService {
  constructor(private readonly tokens: ApiTokens) {}

  /** @throws InvalidRequest for an expiry that is not in the future. */
  async create(
    request: { name: string; role: Role; expiresAt: Date | null },
    createdBy: string,
  ): Promise<{ record: ShownToken; clearText: string }> {
    const { expiresAt } = request;
    if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
      const message = 'expires_at must be in the future.';
      throw new InvalidRequest([{ field: 'expires_at', message, found: expiresAt.toISOString() }]);
    }
    const clearText = makeToken();
    registerSecrets([clearText]);
    const record = await this.tokens.create({ ...request, tokenHash: hashToken(clearText), createdBy });
    return { record: shown(record), clearText };
  }

  async list(page: PageRequest): Promise<Page<ShownToken>> {
    const { items, total } = await this.tokens.list(page);
    return { items: items.map(shown), total };
  }

  /** Repeating is harmless. @throws not_found `token_not_found`; conflict `last_admin_token`. */
  async revoke(tokenId: string): Promise<void> {
    await this.tokens.revoke(tokenId);
  }
}

function shown(token: ApiToken): ShownToken {
  const isExpired = token.expiresAt !== null && token.expiresAt.getTime() <= Date.now();
  return { ...token, isValid: token.revokedAt === null && !isExpired };
}
