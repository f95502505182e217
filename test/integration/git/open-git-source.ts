import { createGitSourceFactory, type GitSourceFactory, type GitSourceOptions } from '@adapters/git';
import { createGitLabSourceFactory, type GitLabSourceOptions } from '@adapters/gitlab';
import { type Clock, type ReadingPlan, type Source, type SourceFactory, systemClock } from '@core/domain';
import { type GitLabStandIn } from '@devkit';
import { timelessLimiter } from '../../support/limiter.js';
import { silentLogger } from '../../support/silent-logger.js';

export interface GitSourceTestOptions {
  scratchRoot?: string;
  /** Default: nothing is kept between runs. */
  cache?: GitSourceOptions['cache'];
  clock?: Clock;
  maxRetries?: number;
  waits?: number[];
  /** Default: no credential, and the default token of the GitLab. */
  tokenFor?: GitLabSourceOptions['tokenFor'];
}

/** Sources through git, over a GitLab, that do not wait between retries. */
export function gitSources(gitlab: GitLabStandIn, options: GitSourceTestOptions = {}): GitSourceFactory {
  const { scratchRoot, cache, clock = systemClock, maxRetries = 2, waits = [], tokenFor } = options;
  const hosts = createGitLabSourceFactory({
    defaultToken: gitlab.token,
    requestTimeoutMs: 60_000,
    limiter: timelessLimiter(waits),
    maxRetries,
    userAgent: 'repotide-test',
    logger: silentLogger,
    sleep: async (ms) => void waits.push(ms),
    ...(tokenFor && { tokenFor }),
  });
  const disk = { ...(scratchRoot && { scratchRoot }), ...(cache && { cache }) };
  return createGitSourceFactory({ hosts, logger: silentLogger, clock, ...disk });
}

/** For the project `team/app`. */
export function openGitSource(
  gitlab: GitLabStandIn,
  factory: SourceFactory = gitSources(gitlab),
  reading: Partial<ReadingPlan> = {},
  credentialId: string | null = null,
): Promise<Source> {
  const plan = { projectPath: 'team/app', isEverything: false, maxFileBytes: 1000, ...reading };
  const target = { baseUrl: gitlab.url, credentialId };
  return factory.open(target, new AbortController().signal, { reading: plan });
}
