export const CREDENTIAL_KINDS = ['token', 'oauth'] as const;
/** `token`: a personal, project or group access token. `oauth`: an access token that is renewed by a refresh token. */
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/** An OAuth application and the tokens that GitLab's `/oauth/token` issued to it for a user. */
export interface OAuthGrant {
  clientId: string;
  clientSecret: string;
  accessToken: string;
  /** Single use: using it revokes it and the access token. */
  refreshToken: string;
  /** When the access token expires. */
  expiresAt: Date;
}

/**
 * The secret part of a credential. It is write-only: the store returns only access tokens.
 * @property username beside the token, for a host of git that expects a certain one.
 */
export type CredentialSecret =
  { kind: 'token'; token: string; username?: string } | { kind: 'oauth'; oauth: OAuthGrant };

/** @property baseUrl the only host that receives the secret, without a trailing slash. */
export type NewCredential = { name: string; baseUrl: string } & CredentialSecret;

/** A `credentials` row without its secret. */
export interface Credential {
  id: string;
  name: string;
  kind: CredentialKind;
  baseUrl: string;
  /** Expiry of the stored OAuth access token; null for tokens. */
  expiresAt: Date | null;
  /** When its refresh token was found to be invalid; null while it works. */
  needsLoginSince: Date | null;
  /** Number of live repositories that use it. */
  repositoryCount: number;
  /** Increased with each new secret, including refreshed ones. */
  revision: number;
  createdAt: Date;
  updatedAt: Date;
}

/** A secret to send, and the only host to send it to. */
export interface AccessGrant {
  token: string;
  /** Absent: the host does not look at it. */
  username?: string;
  baseUrl: string;
}

export interface KeyRotation {
  /** Number of secrets that were encrypted again. */
  resealed: number;
  /** Ids of credentials whose key this process does not have. */
  unreadable: string[];
}

export interface RefreshedTokens {
  accessToken: string;
  refreshToken: string;
  /** Counted from the response; null: it does not expire. */
  expiresInSeconds: number | null;
}

/** Exchanges a single-use refresh token for new tokens. Not safe to repeat once the host may have received it. */
export interface TokenRefresher {
  /**
   * @throws unauthorized `oauth_grant_rejected` when the refresh token is used up or revoked, `oauth_client_rejected`
   *   when the application's id or secret is wrong; temporary `source_unavailable`; rate_limited
   *   `source_rate_limited`; internal `source_answer_invalid`. No error contains a secret.
   */
  refresh(
    grant: { baseUrl: string } & Pick<OAuthGrant, 'clientId' | 'clientSecret' | 'refreshToken'>,
    signal: AbortSignal,
  ): Promise<RefreshedTokens>;
}
