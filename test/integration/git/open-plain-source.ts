import { createGitSourceFactory } from '@adapters/git';
import { createGitLabSourceFactory, type GitLabSourceOptions } from '@adapters/gitlab';
import { type ReadingPlan, type Source, type SourceFactory, systemClock } from '@core/domain';
import { type GitServer } from '@devkit';
import { timelessLimiter } from '../../support/limiter.js';
import { silentLogger } from '../../support/silent-logger.js';

/** Sources of any git host that do not wait between retries. The credential `robot` is that of the server. */
export function plainSources(
  server: Pick<GitServer, 'url' | 'user' | 'token'>,
  options: Partial<GitLabSourceOptions> & { scratchRoot?: string } = {},
): SourceFactory {
  const { scratchRoot, ...hostOptions } = options;
  const hosts = createGitLabSourceFactory({
    defaultToken: 'glpat-of-another-host',
    tokenFor: async () => ({ token: server.token, username: server.user, baseUrl: server.url }),
    requestTimeoutMs: 60_000,
    limiter: timelessLimiter([]),
    maxRetries: 2,
    userAgent: 'repotide-test',
    logger: silentLogger,
    sleep: async () => undefined,
    ...hostOptions,
  });
  const clock = systemClock;
  return createGitSourceFactory({ hosts, logger: silentLogger, clock, ...(scratchRoot && { scratchRoot }) });
}

/** Opens the repository at `path` of the server. */
export function openPlainSource(
  server: Pick<GitServer, 'url' | 'user' | 'token'>,
  {
    factory = plainSources(server),
    path = 'team/app.git',
    credentialId = 'robot',
    ...reading
  }: Partial<ReadingPlan> & { factory?: SourceFactory; path?: string; credentialId?: string | null } = {},
): Promise<Source> {
  const projectPath = `${server.url}/${path}`;
  const plan = { projectPath, isEverything: false, maxFileBytes: 1000, ...reading };
  const target = { provider: 'git' as const, baseUrl: server.url, projectPath, credentialId };
  return factory.open(target, new AbortController().signal, { reading: plan });
}
