import { setTimeout as delay } from 'node:timers/promises';
import {
  type HostLimiter,
  type Logger,
  RepotideError,
  type Source,
  type SourceFactory,
  systemClock,
} from '@core/domain';
import { Agent } from 'undici';
import { parseBaseUrl } from './base-url.js';
import { type Bearer } from './exchange.js';
import { GitLabHttp } from './gitlab-http.js';
import { GitLabSource } from './gitlab-source.js';
import { HostTurns } from './host-turns.js';
import { type OutgoingHosts } from './outgoing/outgoing-hosts.js';
import { Pacing } from './pacing.js';
import { StoredToken, type TokenFor } from './stored-token.js';
import { wellFormed } from './token-form.js';

export interface GitLabSourceOptions {
  /** Used for a repository without a credential; null reads public projects only. */
  defaultToken: string | null;
  /** The GitLab that `defaultToken` belongs to: another origin never gets it. Absent: every origin does. */
  defaultBaseUrl?: string;
  /** The token of a stored credential, and the host that it belongs to. */
  tokenFor?: TokenFor;
  /** Which hosts may be asked. Absent: every one. */
  outgoing?: OutgoingHosts;
  /** For connecting, for the headers, and between two parts of a body, each; ten times that for a whole answer. */
  requestTimeoutMs: number;
  /** Keeps all sources, of all pods, within what a GitLab grants. */
  limiter: HostLimiter;
  /** Repetitions of one call after its first failure. */
  maxRetries: number;
  userAgent: string;
  logger: Logger;
  /** How retries wait; real time unless given. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Opens sources over GitLab, one per run. They share connections, by host; idle ones go by themselves.
 * `open` throws invalid `source_url_invalid`, `url_not_allowed`, `source_token_malformed`,
 * `credential_unavailable`, `credential_foreign_host`; and what the credential store throws.
 */
export function createGitLabSourceFactory(options: GitLabSourceOptions): SourceFactory {
  const { requestTimeoutMs, outgoing } = options;
  // As many connections as the limiter lets requests through, and archives under way.
  const dispatcher = new Agent({
    pipelining: 1,
    connect: { timeout: requestTimeoutMs, lookup: outgoing?.lookup },
  });
  return {
    async open({ baseUrl, credentialId }, signal, use = {}): Promise<Source> {
      const address = parseBaseUrl(baseUrl);
      outgoing?.assertUrl(address);
      const bearer = await chooseToken(options, address, credentialId, signal);
      const { maxRetries, userAgent, logger } = options;
      return new GitLabSource(
        new GitLabHttp({
          baseUrl: address,
          bearer,
          requestTimeoutMs,
          userAgent,
          now: () => systemClock.now(),
          dispatcher,
          turns: new HostTurns({
            baseUrl: address,
            limiter: options.limiter,
            use,
            now: () => systemClock.now(),
          }),
          pacing: new Pacing({
            maxRetries,
            logger: logger.child({ source: address }),
            now: () => systemClock.now(),
            sleep: options.sleep ?? ((ms, signal) => delay(ms, undefined, { signal })),
            random: Math.random,
          }),
        }),
      );
    },
  };
}

async function chooseToken(
  options: GitLabSourceOptions,
  address: string,
  credentialId: string | null,
  signal: AbortSignal,
): Promise<Bearer> {
  if (credentialId !== null) {
    if (options.tokenFor === undefined) {
      const message = `Credential ${credentialId} cannot be read here. Set REPOTIDE_ENCRYPTION_KEY.`;
      throw new RepotideError('invalid', 'credential_unavailable', message);
    }
    return StoredToken.open(credentialId, address, options.tokenFor, signal);
  }
  if (options.defaultToken === null) return { token: null };
  const isForeign =
    options.defaultBaseUrl !== undefined && originOf(options.defaultBaseUrl) !== originOf(address);
  return { token: isForeign ? null : wellFormed(options.defaultToken, 'GITLAB_TOKEN') };
}

function originOf(baseUrl: string): string {
  return new URL(parseBaseUrl(baseUrl)).origin;
}
