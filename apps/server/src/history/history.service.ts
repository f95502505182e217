import { PostgresHistory } from '@adapters/postgres';
import { Inject, Injectable } from '@nestjs/common';
import {
  type FailureBreakdown,
  type HistoryFilter,
  type HistorySummary,
  ScheduleStore,
  type Timeline,
  type TimelineBucketSize,
} from '@core/domain';
import { assertTimezone } from '@core/schedules';
import { type Config } from '@platform/config';
import { InvalidRequest } from '../http/invalid-request.js';
import { naming } from '../http/refused-field.js';
import { CONFIG } from '../injection-tokens.js';
import { suggestLeaseTtl, type SuggestedLeaseTtl } from './lease-ttl.js';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 7;
/** Bounds the date arithmetic and the size of the answer. */
const LONGEST_DAYS = 3660;
const MOST_BUCKETS = 1000;
const BUCKET_MS: Record<TimelineBucketSize, number> = {
  hour: DAY_MS / 24,
  day: DAY_MS,
  week: 7 * DAY_MS,
};

/** The range may be open at either end. */
export type HistoryQuestion = Omit<HistoryFilter, 'from' | 'to'> & { from?: Date; to?: Date };

/** Statistics about ended runs over a time range. */
@Injectable()
export class HistoryService {
  constructor(
    private readonly history: PostgresHistory,
    private readonly schedules: ScheduleStore,
    @Inject(CONFIG) private readonly config: Pick<Config, 'lease'>,
  ) {}

  /** @throws InvalidRequest for a range that ends before it begins, or is too long. */
  async summary(
    question: HistoryQuestion,
  ): Promise<{ summary: HistorySummary; suggestion: SuggestedLeaseTtl }> {
    const summary = await this.history.summary(await this.closed(question));
    return { summary, suggestion: suggestLeaseTtl(summary.durations, this.config.lease.renewSeconds) };
  }

  /** @throws InvalidRequest as above, and for too many buckets; invalid `timezone_invalid`. */
  async timeline(
    question: HistoryQuestion,
    wanted: TimelineBucketSize | undefined,
    timezone: string,
  ): Promise<{ timeline: Timeline; bucket: TimelineBucketSize }> {
    assertZone(timezone);
    const filter = await this.closed(question);
    const bucket = wanted ?? fittingBucket(filter);
    assertBuckets(filter, bucket);
    return { timeline: await this.history.timeline(filter, bucket, timezone), bucket };
  }

  /** @throws InvalidRequest as above; invalid `timezone_invalid`. */
  async failures(question: HistoryQuestion, timezone: string, limit: number): Promise<FailureBreakdown> {
    assertZone(timezone);
    return this.history.failures(await this.closed(question), timezone, limit);
  }

  /** Adds the missing ends of the range. "Now" is the database's time, because the rows' timestamps are too. */
  private async closed(question: HistoryQuestion): Promise<HistoryFilter> {
    const to = question.to ?? (await this.schedules.now());
    const from = question.from ?? new Date(to.getTime() - DEFAULT_DAYS * DAY_MS);
    if (from >= to) {
      throw refused('from', `from must be before to (${to.toISOString()}).`, from.toISOString());
    }
    if (to.getTime() - from.getTime() > LONGEST_DAYS * DAY_MS) {
      throw refused('from', `from must be at most ${LONGEST_DAYS} days before to.`, from.toISOString());
    }
    return { ...question, from, to };
  }
}

function fittingBucket({ from, to }: HistoryFilter): TimelineBucketSize {
  const days = (to.getTime() - from.getTime()) / DAY_MS;
  if (days <= 3) return 'hour';
  return days <= 92 ? 'day' : 'week';
}

function assertBuckets({ from, to }: HistoryFilter, bucket: TimelineBucketSize): void {
  const buckets = Math.ceil((to.getTime() - from.getTime()) / BUCKET_MS[bucket]);
  if (buckets <= MOST_BUCKETS) return;
  const message = `The range has ${buckets} buckets of one ${bucket}; at most ${MOST_BUCKETS} are answered. Take longer ones.`;
  throw refused('bucket', message, bucket);
}

function refused(field: string, message: string, found: string): InvalidRequest {
  return new InvalidRequest([{ field, message, found }]);
}

function assertZone(timezone: string): void {
  try {
    assertTimezone(timezone);
  } catch (error) {
    throw naming(error, { timezone_invalid: 'timezone' });
  }
}
