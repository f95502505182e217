import { type Page, type PageRequest } from './page.js';

export const CREDENTIAL_KINDS = ['token', 'oauth'] as const;
/** A personal, project or group access token; or an OAuth grant, whose tokens renew each other. */
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/** What an OAuth application got for a user, as GitLab's `/oauth/token` answered it. */
export interface OAuthGrant {
  clientId: string;
  clientSecret: string;
  accessToken: string;
  /** Works once: using it ends it and the access token. */
  refreshToken: string;
  /** When the access token ends. */
  expiresAt: Date;
}

/** The secret part of a credential: goes in, and never comes out of the store but as an access token. */
export type CredentialSecret = { kind: 'token'; token: string } | { kind: 'oauth'; oauth: OAuthGrant };

/** @property baseUrl the host that the secret belongs to, without trailing slash: no other one is shown it. */
export type NewCredential = { name: string; baseUrl: string } & CredentialSecret;

/** A `credentials` row as people may see it. */
export interface Credential {
  id: string;
  name: string;
  kind: CredentialKind;
  baseUrl: string;
  /** Of the OAuth access token now stored; null for tokens. */
  expiresAt: Date | null;
  /** Since when its refresh token is known to be useless; null while all is well. */
  needsLoginSince: Date | null;
  /** Live repositories that are read with it. */
  repositoryCount: number;
  /** Grows with each secret, with those of a refresh too. */
  revision: number;
  createdAt: Date;
  updatedAt: Date;
}

/** A secret to send, and the only host to send it to. */
export interface AccessGrant {
  token: string;
  baseUrl: string;
}

/**
 * Credentials of code hosts, encrypted at rest under a key that the database does not know.
 * Reading or writing a secret throws invalid `encryption_key_missing` when there is no key, `credential_key_unknown`
 * when it was sealed under a key that this process does not have, `credential_altered` when the row was changed by hand.
 */
export abstract class CredentialStore {
  /** @throws conflict `credential_exists` when the name is taken. */
  abstract create(credential: NewCredential): Promise<Credential>;
  abstract find(credentialId: string): Promise<Credential | null>;
  abstract list(page: PageRequest): Promise<Page<Credential>>;
  /**
   * A new secret for the same host, for example after a new login.
   * @throws not_found `credential_not_found`; conflict `revision_mismatch` when `expectedRevision` is given and old.
   */
  abstract replaceSecret(
    credentialId: string,
    secret: CredentialSecret,
    expectedRevision?: number,
  ): Promise<Credential>;
  /** @throws not_found `credential_not_found`; conflict `credential_in_use` while a live repository uses it. */
  abstract delete(credentialId: string): Promise<void>;
  /**
   * A token that works now. An OAuth token at its end is refreshed by one caller among all pods, for whom the others
   * wait; the refresh goes on when this caller's signal fires, as its result must not be lost.
   * @throws not_found `credential_not_found`; unauthorized `credential_needs_login` once the refresh token is useless;
   *   temporary `credential_refresh_failed` when another pod's refresh failed; and what {@link TokenRefresher} throws.
   */
  abstract tokenFor(credentialId: string, signal: AbortSignal): Promise<AccessGrant>;
  /** Seals every secret under the present key. Repeating is harmless. */
  abstract rotateKey(): Promise<KeyRotation>;
  /** Waits until the refreshes that this process began are stored. */
  abstract close(): Promise<void>;
}

export interface KeyRotation {
  /** Secrets that were sealed anew. */
  resealed: number;
  /** Ids of credentials whose key this process does not have. */
  unreadable: string[];
}

export interface RefreshedTokens {
  accessToken: string;
  refreshToken: string;
  /** From the answer on; null: it does not end. */
  expiresInSeconds: number | null;
}

/** Trades a single-use refresh token for new tokens. Not safe to repeat once it may have been received. */
export interface TokenRefresher {
  /**
   * @throws unauthorized `oauth_grant_rejected` when the refresh token is used up or revoked, `oauth_client_rejected`
   *   when the application's id or secret is wrong; temporary `source_unavailable`; rate_limited
   *   `source_rate_limited`; internal `source_answer_invalid`. None of them holds a secret.
   */
  refresh(
    grant: { baseUrl: string } & Pick<OAuthGrant, 'clientId' | 'clientSecret' | 'refreshToken'>,
    signal: AbortSignal,
  ): Promise<RefreshedTokens>;
}
