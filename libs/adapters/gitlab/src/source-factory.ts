import { setTimeout as delay } from 'node:timers/promises';
import { type Logger, RepotideError, type Source, type SourceFactory, systemClock } from '@core/domain';
import { Agent } from 'undici';
import { parseBaseUrl } from './base-url.js';
import { GitLabHttp } from './gitlab-http.js';
import { GitLabSource } from './gitlab-source.js';
import { Pacing } from './pacing.js';

export interface GitLabSourceOptions {
  /** Used for a repository without a credential; null reads public projects only. */
  defaultToken: string | null;
  /** The GitLab that `defaultToken` belongs to: another origin never gets it. Absent: every origin does. */
  defaultBaseUrl?: string;
  /** The token of a stored credential. */
  tokenFor?: (credentialId: string) => Promise<string>;
  /** For connecting, for the headers, and between two parts of a body, each; ten times that for a whole answer. */
  requestTimeoutMs: number;
  /** Per source. */
  maxConcurrentRequests: number;
  /** Repetitions of one call after its first failure. */
  maxRetries: number;
  userAgent: string;
  logger: Logger;
  /** How retries wait; real time unless given. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Opens sources over GitLab, one per run. A source keeps its connections to itself and lets idle ones go by itself.
 * `open` throws invalid `source_url_invalid`, `source_token_malformed`, `credential_unavailable`.
 */
export function createGitLabSourceFactory(options: GitLabSourceOptions): SourceFactory {
  return {
    async open({ baseUrl, credentialId }): Promise<Source> {
      const address = parseBaseUrl(baseUrl);
      const token = await chooseToken(options, address, credentialId);
      const { requestTimeoutMs, maxConcurrentRequests, maxRetries, userAgent, logger } = options;
      return new GitLabSource(
        new GitLabHttp({
          baseUrl: address,
          token,
          requestTimeoutMs,
          userAgent,
          now: () => systemClock.now(),
          dispatcher: new Agent({
            connections: maxConcurrentRequests,
            pipelining: 1,
            connect: { timeout: requestTimeoutMs },
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
): Promise<string | null> {
  if (credentialId !== null) {
    if (options.tokenFor === undefined) {
      const message = `Credential ${credentialId} cannot be read here. Set REPOTIDE_ENCRYPTION_KEY.`;
      throw new RepotideError('invalid', 'credential_unavailable', message);
    }
    return wellFormed(await options.tokenFor(credentialId), `the credential ${credentialId}`);
  }
  if (options.defaultToken === null) return null;
  const isForeign =
    options.defaultBaseUrl !== undefined && originOf(options.defaultBaseUrl) !== originOf(address);
  return isForeign ? null : wellFormed(options.defaultToken, 'GITLAB_TOKEN');
}

function originOf(baseUrl: string): string {
  return new URL(parseBaseUrl(baseUrl)).origin;
}

/** Mounted secrets often end with a line break, which no header may hold. */
function wellFormed(token: string, setting: string): string {
  const trimmed = token.trim();
  if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  const found = trimmed === '' ? 'it is empty' : 'it holds spaces or characters outside ASCII';
  const message = `The token in ${setting} is not usable: ${found}. Expected e.g. "glpat-...".`;
  throw new RepotideError('invalid', 'source_token_malformed', message);
}
