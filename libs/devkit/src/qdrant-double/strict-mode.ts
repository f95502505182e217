import { QdrantFailure } from './failure.js';
import { fieldConditions, type FilterDocument } from './filter.js';

/** The limits of strict mode, with Qdrant's names; absent: off. */
export interface StrictMode {
  max_query_limit?: number;
  search_allow_exact?: boolean;
  /** Searches in one batch. */
  search_max_batchsize?: number;
  /** Points in all; a full collection refuses also the replacement of a point. */
  max_points_count?: number;
  max_payload_index_count?: number;
  /** Requests and conditions a minute. */
  read_rate_limit?: number;
  /** Points a minute. */
  write_rate_limit?: number;
  upsert_max_batchsize?: number;
  filter_max_conditions?: number;
  condition_max_size?: number;
  unindexed_filtering_retrieve?: boolean;
  unindexed_filtering_update?: boolean;
}

type Filter = FilterDocument | null | undefined;

/** What strict mode refuses, in the words of Qdrant 1.18. */
export class StrictModeChecks {
  private readonly reads: RateLimiter | null;
  private readonly writes: RateLimiter | null;

  constructor(private readonly limits: StrictMode) {
    this.reads = limits.read_rate_limit ? new RateLimiter('Read', limits.read_rate_limit) : null;
    this.writes = limits.write_rate_limit ? new RateLimiter('Write', limits.write_rate_limit) : null;
  }

  /** @param stored points of the collection. */
  write(points: number, name: string, stored = 0): void {
    this.atMost(points, this.limits.upsert_max_batchsize, name);
    const { max_points_count: most } = this.limits;
    if (most !== undefined && stored >= most)
      throw new QdrantFailure(400, `Bad request: Max points count limit of ${most} reached!`);
    this.writes?.consume(points);
  }

  remove(points: number): void {
    this.writes?.consume(points);
  }

  /** @param limit Qdrant's default is 10. */
  read({ limit = 10, exact }: { limit?: unknown; exact?: unknown }, filter: Filter): void {
    this.atMost(Number(limit), this.limits.max_query_limit, 'limit');
    if (this.limits.search_allow_exact === false && exact === true)
      throw new QdrantFailure(400, 'Bad request: Exact search disabled!. Help: Set exact=false.');
    this.reads?.consume(1 + fieldConditions(filter).length);
  }

  searchBatch(searches: number): void {
    this.atMost(searches, this.limits.search_max_batchsize, 'search batch size');
  }

  newIndex(indexes: number): void {
    const { max_payload_index_count: most } = this.limits;
    if (most === undefined || indexes < most) return;
    throw refusal(
      `Collection already has the maximum number of payload indices (${most})`,
      'Please delete an existing index before creating a new one.',
    );
  }

  filter(filter: Filter, indexes: ReadonlyMap<string, unknown>, isUpdate: boolean): void {
    const { limits } = this;
    const conditions = fieldConditions(filter);
    const { filter_max_conditions: maxConditions, condition_max_size: maxSize } = limits;
    if (maxConditions !== undefined && conditions.length > maxConditions) {
      throw refusal(
        `Filter condition limit reached (${conditions.length} > ${maxConditions})`,
        'Reduce the amount of conditions of your filter.',
      );
    }
    const isFreeAllowed = isUpdate ? limits.unindexed_filtering_update : limits.unindexed_filtering_retrieve;
    for (const condition of conditions) {
      const key = condition['key'];
      const any = (condition['match'] as { any?: unknown } | undefined)?.any;
      if (maxSize !== undefined && Array.isArray(any) && any.length > maxSize) {
        throw refusal(
          `Condition size limit reached (${any.length} > ${maxSize})`,
          'Reduce the size of your condition.',
        );
      }
      if (isFreeAllowed === false && typeof key === 'string' && !indexes.has(key)) {
        throw refusal(
          `Index required but not found for "${key}" of one of the following types: [keyword]`,
          'Create an index for this key or use a different filter.',
        );
      }
    }
  }

  private atMost(value: number, limit: number | undefined, name: string): void {
    if (limit === undefined || value <= limit) return;
    throw refusal(
      `Limit exceeded ${value} > ${limit} for "${name}"`,
      `Reduce the "${name}" parameter to or below ${limit}.`,
    );
  }
}

function refusal(found: string, help: string): QdrantFailure {
  return new QdrantFailure(400, `Bad request: ${found}. Help: ${help}`);
}

/** A bucket that begins full and is refilled evenly. */
class RateLimiter {
  private tokens: number;
  private at = performance.now();

  constructor(
    private readonly name: string,
    private readonly perMinute: number,
  ) {
    this.tokens = perMinute;
  }

  consume(wanted: number): void {
    if (wanted > this.perMinute) {
      throw this.exceeded(
        ', request larger than rate limiter capacity, please try to split your request',
        {},
      );
    }
    const now = performance.now();
    this.tokens = Math.min(this.perMinute, this.tokens + ((now - this.at) / 60_000) * this.perMinute);
    this.at = now;
    if (this.tokens >= wanted) {
      this.tokens -= wanted;
      return;
    }
    const seconds = Math.ceil(((wanted - this.tokens) / this.perMinute) * 60);
    const available = this.tokens.toFixed(1);
    throw this.exceeded(
      `: Operation requires ${wanted} tokens but only ${available} were available. Retry after ${seconds}s`,
      { 'retry-after': String(seconds) },
    );
  }

  private exceeded(why: string, headers: Record<string, string>): QdrantFailure {
    return new QdrantFailure(429, `Rate limiting exceeded: ${this.name} rate limit exceeded${why}`, headers);
  }
}
