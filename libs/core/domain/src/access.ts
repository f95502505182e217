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

/** The holder of an API token or of a JSON web token, or a person who signed in. */
export interface Caller {
  /** The id of the token's row, or `oidc:<subject>`. */
  id: string;
  name: string;
  role: Role;
  scope: Scope;
  /**
   * The person's number at GitLab, whose rights there limit what it sees, in addition to the scope. Null: unknown, so it sees
   * nothing. Absent: only the scope limits it.
   */
  gitlabUserId?: number | null;
}

/** Whether a caller may not see everything. */
export function isLimited({ scope, gitlabUserId }: Pick<Caller, 'scope' | 'gitlabUserId'>): boolean {
  return scope !== null || gitlabUserId !== undefined;
}
