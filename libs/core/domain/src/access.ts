import { type Page, type PageRequest } from './page.js';

export type Role = 'viewer' | 'operator' | 'admin';
export interface ApiToken {
  id: string;
  name: string;
  role: Role;
  createdAt: Date;
  expiresAt: Date | null;
}
/** Finds tokens by their SHA-256 hash; the clear text is never stored. */
export abstract class TokenStore {
  /** Null when unknown, expired or revoked. */
  abstract findByHash(tokenHash: string): Promise<ApiToken | null>;
  /** Creates the token, or updates the name and role of the one with this hash. Safe to repeat. */
  abstract ensure(token: { name: string; role: Role; tokenHash: string }): Promise<void>;
  abstract hasAdmin(): Promise<boolean>;
}

/** The holder of an API token or of a JSON web token. */
export interface Caller {
  /** The id of the token's row, or `oidc:<subject>`. */
  id: string;
  name: string;
  role: Role;
}

/** An `api_tokens` row without its hash. */
export interface TokenRecord extends ApiToken {
  /** Name of the caller that created it; null for a token from the configuration. */
  createdBy: string | null;
  /** Accurate to a minute. */
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}

export abstract class TokenRegistry {
  abstract create(token: {
    name: string;
    role: Role;
    tokenHash: string;
    expiresAt: Date | null;
    createdBy: string;
  }): Promise<TokenRecord>;
  /** Newest first, including expired and revoked ones. */
  abstract list(page: PageRequest): Promise<Page<TokenRecord>>;
  /**
   * Makes the token invalid at once. Safe to repeat.
   * @throws not_found `token_not_found`; conflict `last_admin_token` when no other valid token has the role admin.
   */
  abstract revoke(tokenId: string): Promise<TokenRecord>;
  /** Records a use; writes at most once a minute. */
  abstract noteUse(tokenId: string): Promise<void>;
}
