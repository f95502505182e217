import { Injectable } from '@nestjs/common';
import { type Page, type PageRequest, type Role, type TokenRecord, TokenRegistry } from '@core/domain';
import { registerSecrets } from '@platform/observability';
import { InvalidRequest } from '../http/invalid-request.js';
import { hashToken, makeToken } from './token-hash.js';

/** Makes and ends API tokens. */
@Injectable()
export class TokensService {
  constructor(private readonly tokens: TokenRegistry) {}

  /** @throws InvalidRequest for an end that is not in the future. */
  async create(
    request: { name: string; role: Role; expiresAt: Date | null },
    createdBy: string,
  ): Promise<{ record: TokenRecord; clearText: string }> {
    const { expiresAt } = request;
    if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
      const message = 'expires_at must be in the future.';
      throw new InvalidRequest([{ field: 'expires_at', message, found: expiresAt.toISOString() }]);
    }
    const clearText = makeToken();
    registerSecrets([clearText]);
    const record = await this.tokens.create({ ...request, tokenHash: hashToken(clearText), createdBy });
    return { record, clearText };
  }

  list(page: PageRequest): Promise<Page<TokenRecord>> {
    return this.tokens.list(page);
  }

  /** Repeating is harmless. @throws not_found `token_not_found`; conflict `last_admin_token`. */
  async revoke(tokenId: string): Promise<void> {
    await this.tokens.revoke(tokenId);
  }
}
