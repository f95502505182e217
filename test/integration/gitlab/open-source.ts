import { createGitLabSourceFactory, type GitLabSourceOptions } from '@adapters/gitlab';
import { type Logger, RepotideError, type Source, type SourceFactory, type TreeEntry } from '@core/domain';
import { timelessLimiter } from '../../support/limiter.js';

export const TOKEN = 'glpat-test-token';

/** Keeps every logged field, to prove that none holds a secret. */
class RecordingLogger implements Logger {
  readonly lines: string[] = [];
  debug = (fields: object, message: string) => this.#record(fields, message);
  info = (fields: object, message: string) => this.#record(fields, message);
  warn = (fields: object, message: string) => this.#record(fields, message);
  error = (fields: object, message: string) => this.#record(fields, message);
  child = (): Logger => this;

  #record(fields: object, message: string): void {
    this.lines.push(`${message} ${JSON.stringify(fields)}`);
  }
}

export interface OpenedSource {
  factory: SourceFactory;
  source: Source;
  logger: RecordingLogger;
  /** The waits before retries; tests skip them. */
  waits: number[];
}

/** A source that does not wait between retries. */
export async function openSource(
  baseUrl: string,
  options: Partial<GitLabSourceOptions> & { credentialId?: string } = {},
): Promise<OpenedSource> {
  const logger = new RecordingLogger();
  const waits: number[] = [];
  const factory = createGitLabSourceFactory({
    defaultToken: TOKEN,
    requestTimeoutMs: 10_000,
    limiter: timelessLimiter(waits),
    maxRetries: 2,
    userAgent: 'repotide-test',
    logger,
    sleep: async (ms) => {
      waits.push(ms);
    },
    ...options,
  });
  const source = await factory.open(
    { baseUrl, credentialId: options.credentialId ?? null },
    new AbortController().signal,
  );
  return { source, factory, logger, waits };
}

export async function listAll(source: Source, projectId: number, commit: string): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  for await (const page of source.listTree(projectId, commit, new AbortController().signal)) {
    entries.push(...page);
  }
  return entries;
}

/** The error that `work` throws; fails when it succeeds or throws another class. */
export async function failureOf(work: Promise<unknown>): Promise<RepotideError> {
  try {
    await work;
  } catch (thrown) {
    if (thrown instanceof RepotideError) return thrown;
    throw thrown;
  }
  throw new Error('expected a RepotideError, but it ended well');
}
