import { createGitSourceFactory, type GitSourceFactory } from '@adapters/git';
import {
  createGitLabSourceFactory,
  createGitLabTokenRefresher,
  type GitLabSourceOptions,
  OutgoingHosts,
} from '@adapters/gitlab';
import { CredentialStore, EventWebhooks } from '@adapters/postgres';
import { type CodeRights, type HostLimiter, type Logger, systemClock } from '@core/domain';
import { type Config } from '@platform/config';
import { gitCacheMetrics } from '../metrics/counted.js';
import { type Metrics } from '../metrics/metrics.js';
import { type DatabaseHandle } from './database.js';

/** With exponential backoff, one call is retried for about 30 s. */
const SOURCE_RETRIES = 5;
const USER_AGENT = 'repotide';

/** The store of credentials. It refreshes OAuth tokens at the GitLab instance that issued them. */
export function openCredentials(
  { auth, gitlab }: Config,
  logger: Logger,
  { database }: Pick<DatabaseHandle, 'database'>,
): CredentialStore {
  const { encryptionKey, previousEncryptionKey } = auth;
  const requestTimeoutMs = gitlab.timeoutSeconds * 1000;
  return new CredentialStore(database, {
    encryptionKey,
    previousEncryptionKey,
    refresher: createGitLabTokenRefresher({
      requestTimeoutMs,
      userAgent: USER_AGENT,
      outgoing: outgoingHosts(gitlab),
      certificates: { baseUrl: gitlab.url, tlsDir: gitlab.tlsDir, logger },
    }),
    logger,
  });
}

/** The webhooks for events; their secrets are sealed like those of credentials. */
export function openEventWebhooks(
  { auth }: Config,
  { database }: Pick<DatabaseHandle, 'database'>,
): EventWebhooks {
  return new EventWebhooks(database, auth);
}

/**
 * Opens GitLab sources with a repository's credential or with GITLAB_TOKEN, by git where it may be used; and repositories of
 * other hosts.
 */
export function openSources(
  { gitlab }: Config,
  logger: Logger,
  credentials: CredentialStore,
  limiter: HostLimiter,
  metrics: Metrics,
): GitSourceFactory {
  const options = gitlabOptions(gitlab, logger, credentials, limiter);
  const hosts = createGitLabSourceFactory({ ...options, maxRetries: SOURCE_RETRIES });
  const isApiOnly = gitlab.transport === 'rest';
  const cache = { maxBytes: gitlab.cacheMaxBytes, observer: gitCacheMetrics(metrics) };
  return createGitSourceFactory({ hosts, isApiOnly, logger, clock: systemClock, cache });
}

/** Asks GitLab, with the credentials of repositories, who may read them. Without repetitions, because a person waits. */
export function openCodeRights(
  { gitlab }: Config,
  logger: Logger,
  credentials: CredentialStore,
  limiter: HostLimiter,
): CodeRights {
  const options = gitlabOptions(gitlab, logger, credentials, limiter);
  return createGitLabSourceFactory({ ...options, maxRetries: 0 }).codeRights;
}

function gitlabOptions(
  gitlab: Config['gitlab'],
  logger: Logger,
  credentials: CredentialStore,
  limiter: HostLimiter,
): Omit<GitLabSourceOptions, 'maxRetries'> {
  return {
    defaultToken: gitlab.token ?? null,
    defaultBaseUrl: gitlab.url,
    outgoing: outgoingHosts(gitlab),
    certificates: { baseUrl: gitlab.url, tlsDir: gitlab.tlsDir, logger },
    tokenFor: (credentialId, signal) => credentials.tokenFor(credentialId, signal),
    requestTimeoutMs: gitlab.timeoutSeconds * 1000,
    limiter,
    userAgent: USER_AGENT,
    logger,
  };
}

/** GITLAB_URL is always allowed, because the operator set it. Addresses from the API must be in the list of allowed hosts. */
export function outgoingHosts({ url, allowedHosts }: Config['gitlab']): OutgoingHosts {
  return new OutgoingHosts({ allowed: allowedHosts, operatorUrls: [url] });
}
