import { throwIfAborted, toRepotideError, type Logger, type Source } from '@core/domain';

/** The kinds of requests that a run makes; `graphql` finds and reads blobs in batches. */
export type FetchWay = 'head' | 'project' | 'compare' | 'tree' | 'graphql' | 'archive' | 'blobs';

/** One failure may be about what was asked for; so many are the way itself. */
const MAX_FAILURES = 2;

/**
 * Which ways a run has gone to the code host, with how many requests each, and which it found closed. Ways are gone
 * one after the other, so that all requests between two calls of {@link enter} belong to the first.
 */
export class FetchStrategies {
  private readonly requests = new Map<FetchWay, number>();
  private readonly failures = new Map<FetchWay, number>();
  private current: FetchWay = 'head';
  private counted = 0;

  constructor(
    private readonly source: Source,
    private readonly logger: Logger,
  ) {}

  enter(way: FetchWay): void {
    this.countUp();
    this.current = way;
  }

  isClosed(way: FetchWay): boolean {
    return (this.failures.get(way) ?? 0) >= MAX_FAILURES;
  }

  /**
   * Takes note that the way that is being gone has failed, so that its work is done in another. A refusal closes it for
   * the run, and so do several failures of other kinds. @throws the failure when every other way would meet it too.
   */
  leave(thrown: unknown, signal: AbortSignal): void {
    const way = this.current;
    throwIfAborted(signal);
    const error = toRepotideError(thrown);
    const isOwnLimit = error.kind === 'rate_limited' && way === 'archive';
    const isOfAllWays = ['unauthorized', 'rate_limited', 'cancelled', 'fence_lost'].includes(error.kind);
    // What was never translated is no refusal but a bug, and must not pass for one.
    if ((isOfAllWays && !isOwnLimit) || error.code === 'internal_error') throw error;
    const isRefusal = !['temporary', 'internal'].includes(error.kind);
    this.failures.set(way, isRefusal ? MAX_FAILURES : (this.failures.get(way) ?? 0) + 1);
    this.logger.info({ fetch_way: way, error_code: error.code }, 'the run goes on in another way');
  }

  /** For the execution row, e.g. `head 1, tree 101, archive 1`. */
  summary(): string {
    this.countUp();
    return [...this.requests].map(([way, requests]) => `${way} ${requests}`).join(', ');
  }

  private countUp(): void {
    const { requests } = this.source.usage();
    const fresh = requests - this.counted;
    if (fresh > 0) this.requests.set(this.current, (this.requests.get(this.current) ?? 0) + fresh);
    this.counted = requests;
  }
}
