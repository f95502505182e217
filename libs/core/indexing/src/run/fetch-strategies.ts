import { throwIfAborted, toRepotideError, type Logger, type Source } from '@core/domain';

/** The kinds of requests that a run makes; `graphql` finds and reads blobs in batches, `objects` reads them through git. */
export type FetchStrategy =
  'head' | 'project' | 'compare' | 'tree' | 'graphql' | 'objects' | 'archive' | 'blobs';

/** What only the host's API answers, even when the rest is read through git. */
const API_ONLY: readonly FetchStrategy[] = ['head', 'project'];

/** One failure may concern only that request; several suggest that the strategy does not work. */
const MAX_FAILURES = 2;

/**
 * Counts a run's requests by strategy and remembers which strategies failed. Strategies are used one after the other,
 * so all requests between two calls of {@link use} belong to the first.
 */
export class FetchStrategies {
  private readonly requests = new Map<FetchStrategy, number>();
  private readonly failures = new Map<FetchStrategy, number>();
  private current: FetchStrategy = 'head';
  private counted = 0;

  constructor(
    private readonly source: Source,
    private readonly logger: Logger,
  ) {}

  use(strategy: FetchStrategy): void {
    this.countRequests();
    this.current = strategy;
  }

  isClosed(strategy: FetchStrategy): boolean {
    return (this.failures.get(strategy) ?? 0) >= MAX_FAILURES;
  }

  /**
   * Records a failure of the current strategy, so that another one takes over. A refusal closes the strategy for the
   * run; so do several other failures. @throws the failure if it affects every other strategy too.
   */
  recordFailure(thrown: unknown, signal: AbortSignal): void {
    const strategy = this.current;
    throwIfAborted(signal);
    const error = toRepotideError(thrown);
    const isArchiveLimit = error.kind === 'rate_limited' && strategy === 'archive';
    const affectsAll = ['unauthorized', 'rate_limited', 'cancelled', 'fence_lost'].includes(error.kind);
    // An error that no adapter translated is a bug, not a refusal.
    if ((affectsAll && !isArchiveLimit) || error.code === 'internal_error') throw error;
    const isRefusal = !['temporary', 'internal'].includes(error.kind);
    this.failures.set(strategy, isRefusal ? MAX_FAILURES : (this.failures.get(strategy) ?? 0) + 1);
    this.logger.info(
      { fetch_strategy: strategy, error_code: error.code },
      'fetch strategy failed, using another',
    );
  }

  /** For the execution row, e.g. `head 1, tree 101, archive 1` or `head 1, tree 2, objects 1 (git)`. */
  summary(): string {
    this.countRequests();
    const counts = [...this.requests].map(([strategy, requests]) => `${strategy} ${requests}`).join(', ');
    const transport = this.source.transport();
    const isRead = [...this.requests.keys()].some((strategy) => !API_ONLY.includes(strategy));
    if (transport === null || !isRead) return counts;
    return `${counts} (${transport.name}${transport.reason === null ? '' : `: ${transport.reason}`})`;
  }

  private countRequests(): void {
    const { requests } = this.source.usage();
    const fresh = requests - this.counted;
    if (fresh > 0) this.requests.set(this.current, (this.requests.get(this.current) ?? 0) + fresh);
    this.counted = requests;
  }
}
