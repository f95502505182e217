import {
  type CodeRights,
  type GitRepositoryHost,
  type HostLimiter,
  type Logger,
  RepotideError,
  type SourceFactory,
  type SourceWithGit,
} from '@core/domain';
import { parseBaseUrl } from './access/base-url.js';
import { type HostCertificates, openDispatcher } from './access/dispatcher.js';
import { type OutgoingHosts } from './access/outgoing-hosts.js';
import { openStoredToken, type TokenFor, wellFormedToken } from './access/token.js';
import { GitLabHttp } from './http/gitlab-http.js';
import { GIT_HOST_WORDS, GITLAB_WORDS, type HostWords } from './http/host-words.js';
import { type Bearer } from './http/request-sender.js';
import { RetryPolicy, type RetryPolicyOptions } from './http/retry-policy.js';
import { mayReadCode } from './source/code-rights.js';
import { createGitLabSource } from './source/gitlab-source.js';

export interface GitLabSourceOptions {
  /** Used for a repository without a credential; null reads public projects only. */
  defaultToken: string | null;
  /** The GitLab that `defaultToken` belongs to: it is sent to no other origin. Absent: it is sent to every one. */
  defaultBaseUrl?: string;
  /** The client certificate for one host. Absent: none. */
  certificates?: HostCertificates;
  /** The token of a stored credential, and the host that it belongs to. */
  tokenFor?: TokenFor;
  /** Which hosts may be requested. Absent: every one. */
  outgoing?: OutgoingHosts;
  /** Limits each of three waits: for the connection, for the headers, and between two parts of the body. */
  requestTimeoutMs: number;
  limiter: HostLimiter;
  /** Repetitions of one call after its first failure. */
  maxRetries: number;
  userAgent: string;
  logger: Logger;
  /** The wait before a retry; real time unless given. */
  sleep?: RetryPolicyOptions['sleep'];
}

export interface GitLabSourceFactory extends SourceFactory {
  /** @throws as `open`. */
  codeRights: CodeRights;
  open(...use: Parameters<SourceFactory['open']>): Promise<SourceWithGit>;
  /** The git of any host, at an origin. GITLAB_TOKEN is not sent to it. @throws as `open`. */
  openGit(...use: Parameters<SourceFactory['open']>): Promise<GitRepositoryHost>;
}

/** Two silent tries end before the time limit of API requests, so that the person who waits gets the reason. */
const URGENT_TIMEOUT_MS = 10_000;
const URGENT_RETRIES = 1;

/**
 * Opens sources over GitLab, one per run. They share connections per host; idle connections close automatically.
 * `open` throws invalid `source_url_invalid`, `url_not_allowed`, `source_token_malformed`,
 * `credential_unavailable`, `credential_foreign_host`; and what the credential store throws.
 */
export function createGitLabSourceFactory(options: GitLabSourceOptions): GitLabSourceFactory {
  const { outgoing, limiter, userAgent, logger, sleep } = options;
  // No limit on connections: the limiter bounds the requests, and archives are few.
  const { requestTimeoutMs: timeoutMs, certificates } = options;
  const dispatcher = openDispatcher({ pipelining: 1, timeoutMs, outgoing, certificates });
  const openHttp = async (
    [target, signal, use = {}]: Parameters<SourceFactory['open']>,
    words: HostWords,
    defaultToken: string | null,
  ): Promise<GitLabHttp> => {
    const baseUrl = parseBaseUrl(target.baseUrl);
    outgoing?.assertUrl(baseUrl);
    const bearer = await chooseToken({ ...options, defaultToken }, baseUrl, target.credentialId, signal);
    const isUrgent = use.isUrgent === true;
    const requestTimeoutMs = Math.min(options.requestTimeoutMs, isUrgent ? URGENT_TIMEOUT_MS : Infinity);
    const maxRetries = Math.min(options.maxRetries, isUrgent ? URGENT_RETRIES : Infinity);
    const retryPolicy = new RetryPolicy({ maxRetries, logger: logger.child({ source: baseUrl }), sleep });
    const identity = `${baseUrl} ${target.credentialId ?? ''}`;
    const sending = { baseUrl, words, identity, bearer, requestTimeoutMs, userAgent };
    return new GitLabHttp({ ...sending, dispatcher, limiter, use, retryPolicy });
  };
  return {
    open: async (...use) => createGitLabSource(await openHttp(use, GITLAB_WORDS, options.defaultToken)),
    openGit: async (...use) => {
      const http = await openHttp(use, GIT_HOST_WORDS, null);
      return { git: http.git(''), usage: () => http.usage() };
    },
    codeRights: {
      mayReadCode: async (userId, { projectId, ...target }, signal) => {
        const http = await openHttp([target, signal, { isUrgent: true }], GITLAB_WORDS, options.defaultToken);
        return mayReadCode({ http, projectId, signal }, userId);
      },
    },
  };
}

async function chooseToken(
  { tokenFor, defaultToken, defaultBaseUrl }: GitLabSourceOptions,
  baseUrl: string,
  credentialId: string | null,
  signal: AbortSignal,
): Promise<Bearer> {
  if (credentialId !== null) {
    if (tokenFor !== undefined) return openStoredToken(credentialId, baseUrl, tokenFor, signal);
    const message = `Credential ${credentialId} cannot be decrypted. Set REPOTIDE_ENCRYPTION_KEY.`;
    throw new RepotideError('invalid', 'credential_unavailable', message);
  }
  const isForeign = defaultBaseUrl !== undefined && originOf(defaultBaseUrl) !== originOf(baseUrl);
  if (defaultToken === null || isForeign) return { token: null };
  return { token: wellFormedToken(defaultToken, 'GITLAB_TOKEN') };
}

function originOf(baseUrl: string): string {
  return new URL(parseBaseUrl(baseUrl)).origin;
}
