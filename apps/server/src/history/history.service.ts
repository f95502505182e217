import { PostgresHistory } from '@adapters/postgres';
import { Inject, Injectable } from '@nestjs/common';
import { type FailureCounts, type HistoryFilter, ScheduleStore, type TimelineBucketSize } from '@core/domain';
import { assertTimezone } from '@core/schedules';
import { type Config } from '@platform/config';
import { InvalidRequest, naming } from '../http/problem.js';
import { CONFIG } from '../injection-tokens.js';
import { type RowOf } from '../http/model.js';
import { type FailureBreakdownDto, type HistorySummaryDto, type TimelineDto } from './history.schema.js';
import { suggestLeaseTtl } from './lease-ttl.js';

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
  async summary(question: HistoryQuestion): Promise<RowOf<typeof HistorySummaryDto>> {
    const summary = await this.history.summary(await this.closed(question));
    const { runs, durations } = summary;
    const finished = runs.completed + runs.partial + runs.failed;
    const { mean: meanSeconds, p50: p50Seconds, p95: p95Seconds, max: maxSeconds } = durations;
    return {
      ...summary,
      totalRuns: Object.values(runs).reduce((sum, each) => sum + each, 0),
      successRate: finished === 0 ? null : runs.completed / finished,
      durations: { ...durations, meanSeconds, p50Seconds, p95Seconds, maxSeconds },
      suggestedLeaseTtl: suggestLeaseTtl(durations, this.config.lease.renewSeconds),
    };
  }

  /** @throws InvalidRequest as above, and for too many buckets; invalid `timezone_invalid`. */
  async timeline(
    question: HistoryQuestion,
    wanted: TimelineBucketSize | undefined,
    timezone: string,
  ): Promise<RowOf<typeof TimelineDto>> {
    assertZone(timezone);
    const filter = await this.closed(question);
    const bucket = wanted ?? fittingBucket(filter);
    assertBuckets(filter, bucket);
    return { ...(await this.history.timeline(filter, bucket, timezone)), bucket, timezone };
  }

  /** @throws InvalidRequest as above; invalid `timezone_invalid`. */
  async failures(
    question: HistoryQuestion,
    timezone: string,
    limit: number,
  ): Promise<RowOf<typeof FailureBreakdownDto>> {
    assertZone(timezone);
    const found = await this.history.failures(await this.closed(question), timezone, limit);
    return {
      ...found,
      timezone,
      total: withSum(found.total),
      byHour: found.byHour.map(withSum),
      byRepository: found.byRepository.map(withSum),
      byErrorCode: found.byErrorCode.map(withSum),
    };
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

function withSum<Counts extends FailureCounts>(counts: Counts): Counts & { failures: number } {
  return { ...counts, failures: counts.failed + counts.partial + counts.missed };
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
