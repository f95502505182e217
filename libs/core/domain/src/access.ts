import { type Scope } from './scope.js';

export type Role = 'viewer' | 'operator' | 'admin';

/** An `api_tokens` row without its hash. */
export interface ApiToken {
  id: string;
  name: string;
  role: Role;
  scope: Scope;
  createdAt: Date;
  expiresAt: Date | null;
  /** Name of the caller that created it; null for a token from the configuration. */
  createdBy: string | null;
  /** Accurate to a minute. */
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}

/** The holder of an API token or of a JSON web token. */
export interface Caller {
  /** The id of the token's row, or `oidc:<subject>`. */
  id: string;
  name: string;
  role: Role;
  scope: Scope;
}
