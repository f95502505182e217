import { createGitLabSourceFactory, createGitLabTokenRefresher, OutgoingHosts } from '@adapters/gitlab';
import { createCredentialStore } from '@adapters/postgres';
import { type CredentialStore, type HostLimiter, type Logger, type SourceFactory } from '@core/domain';
import { type Config } from '@platform/config';
import { type DatabaseHandle } from './database.js';

/** With doubling waits about half a minute of patience for one call. */
const SOURCE_RETRIES = 5;
const USER_AGENT = 'repotide';

/** Stored credentials; those of OAuth are refreshed at the GitLab that they belong to. */
export function openCredentials(
  { auth, gitlab }: Config,
  logger: Logger,
  { database }: Pick<DatabaseHandle, 'database'>,
): CredentialStore {
  const { encryptionKey, previousEncryptionKey } = auth;
  const requestTimeoutMs = gitlab.timeoutSeconds * 1000;
  return createCredentialStore(database, {
    encryptionKey,
    previousEncryptionKey,
    refresher: createGitLabTokenRefresher({
      requestTimeoutMs,
      userAgent: USER_AGENT,
      outgoing: outgoingHosts(gitlab),
    }),
    logger,
  });
}

/** Sources of GitLab, read with a repository's credential or with GITLAB_TOKEN. */
export function openSources(
  { gitlab }: Config,
  logger: Logger,
  credentials: CredentialStore,
  limiter: HostLimiter,
): SourceFactory {
  return createGitLabSourceFactory({
    defaultToken: gitlab.token ?? null,
    defaultBaseUrl: gitlab.url,
    outgoing: outgoingHosts(gitlab),
    tokenFor: (credentialId, signal) => credentials.tokenFor(credentialId, signal),
    requestTimeoutMs: gitlab.timeoutSeconds * 1000,
    limiter,
    maxRetries: SOURCE_RETRIES,
    userAgent: USER_AGENT,
    logger,
  });
}

/** What the environment names is the operator's choice; addresses that come through the API are held to the list. */
export function outgoingHosts({ url, allowedHosts }: Config['gitlab']): OutgoingHosts {
  return new OutgoingHosts({ allowed: allowedHosts, own: [url] });
}
