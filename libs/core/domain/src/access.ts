import { type Page, type PageRequest } from './page.js';

export type Role = 'viewer' | 'operator' | 'admin';
export interface ApiToken {
  id: string;
  name: string;
  role: Role;
  createdAt: Date;
  expiresAt: Date | null;
}
/** Tokens by SHA-256 hash; the clear text is never stored. */
export abstract class TokenStore {
  /** Null when unknown, expired or revoked. */
  abstract findByHash(tokenHash: string): Promise<ApiToken | null>;
  /** Repeating with the same hash is harmless. */
  abstract ensure(token: { name: string; role: Role; tokenHash: string }): Promise<void>;
  abstract hasAdmin(): Promise<boolean>;
}

/** Who calls: an API token, or a person behind a JSON web token. */
export interface Caller {
  /** Of the token's row, or `oidc:<subject>`. */
  id: string;
  name: string;
  role: Role;
}

/** An `api_tokens` row as its administrators see it; the hash stays inside. */
export interface TokenRecord extends ApiToken {
  /** Name of the caller that made it; null for those of the configuration. */
  createdBy: string | null;
  /** To the minute. */
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}

/** Makes and ends API tokens. */
export abstract class TokenRegistry {
  abstract create(token: {
    name: string;
    role: Role;
    tokenHash: string;
    expiresAt: Date | null;
    createdBy: string;
  }): Promise<TokenRecord>;
  /** Newest first, ended ones included. */
  abstract list(page: PageRequest): Promise<Page<TokenRecord>>;
  /**
   * From here on it opens nothing. Repeating is harmless.
   * @throws not_found `token_not_found`; conflict `last_admin_token` when no other valid token has the role admin.
   */
  abstract revoke(tokenId: string): Promise<TokenRecord>;
  /** Notes that it was used just now; at most one write in a minute. */
  abstract noteUse(tokenId: string): Promise<void>;
}
