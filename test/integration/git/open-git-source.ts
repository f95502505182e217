import { createGitSourceFactory } from '@adapters/git';
import { createGitLabSourceFactory } from '@adapters/gitlab';
import { type Clock, type ReadingPlan, type Source, type SourceFactory, systemClock } from '@core/domain';
import { type GitLabStandIn } from '@devkit';
import { timelessLimiter } from '../../support/limiter.js';
import { silentLogger } from '../../support/silent-logger.js';

export interface GitSourceTestOptions {
  scratchRoot?: string;
  clock?: Clock;
  maxRetries?: number;
  waits?: number[];
}

/** Sources through git, over a GitLab, that do not wait between retries. */
export function gitSources(gitlab: GitLabStandIn, options: GitSourceTestOptions = {}): SourceFactory {
  const { scratchRoot, clock = systemClock, maxRetries = 2, waits = [] } = options;
  const hosts = createGitLabSourceFactory({
    defaultToken: gitlab.token,
    requestTimeoutMs: 10_000,
    limiter: timelessLimiter(waits),
    maxRetries,
    userAgent: 'repotide-test',
    logger: silentLogger,
    sleep: async (ms) => void waits.push(ms),
  });
  return createGitSourceFactory({ hosts, logger: silentLogger, clock, ...(scratchRoot && { scratchRoot }) });
}

/** For the project `team/app`. */
export function openGitSource(
  gitlab: GitLabStandIn,
  factory: SourceFactory = gitSources(gitlab),
  reading: Partial<ReadingPlan> = {},
): Promise<Source> {
  const plan = { projectPath: 'team/app', isEverything: false, maxFileBytes: 1000, ...reading };
  const target = { baseUrl: gitlab.url, credentialId: null };
  return factory.open(target, new AbortController().signal, { reading: plan });
}
