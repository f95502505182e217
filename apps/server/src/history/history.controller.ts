import { Get, Inject, Query } from '@nestjs/common';
import { PostgresHistory } from '@adapters/postgres';
import {
  type FailureCounts,
  type HistoryFilter,
  ScheduleStore,
  TIMELINE_BUCKETS,
  type TimelineBucketSize,
  type VisibleRepositories,
} from '@core/domain';
import { assertTimezone } from '@core/schedules';
import { type Config } from '@platform/config';
import { RequireRole } from '../access/role.js';
import { ApiRoute, Resource } from '../http/api-route.js';
import { type Given } from '../http/model.js';
import { Visible } from '../http/parameters.js';
import { naming } from '../http/problem.js';
import { CONFIG } from '../injection-tokens.js';
import {
  FailureBreakdownDto,
  FailuresQueryDto,
  HistoryQueryDto,
  HistorySummaryDto,
  TimelineDto,
  TimelineQueryDto,
} from './history.schema.js';
import { suggestLeaseTtl } from './lease-ttl.js';

const ZONE = '`timezone_invalid`.';
const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 7;
/** Bounds the date arithmetic and the size of the answer: a longer range is cut at its beginning. */
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
@Resource('history')
@RequireRole('viewer')
export class HistoryController {
  constructor(
    private readonly history: PostgresHistory,
    private readonly schedules: ScheduleStore,
    @Inject(CONFIG) private readonly config: Pick<Config, 'lease'>,
  ) {}

  @Get('summary')
  @ApiRoute({
    summary: 'Sum up the runs of a range',
    description: 'Counts, durations and work of the runs that were queued in it, exact to the row.',
    answers: HistorySummaryDto,
  })
  async getHistorySummary(
    @Query({ schema: HistoryQueryDto }) query: Given<typeof HistoryQueryDto>,
    @Visible() visible: VisibleRepositories,
  ) {
    const summary = await this.history.summary(await this.closed({ ...query, visible }));
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

  @Get('timeline')
  @ApiRoute({
    summary: 'Show runs, files, chunks and embeddings over time',
    answers: TimelineDto,
    problems: { 422: ZONE },
  })
  async getHistoryTimeline(
    @Query({ schema: TimelineQueryDto }) query: Given<typeof TimelineQueryDto>,
    @Visible() visible: VisibleRepositories,
  ) {
    const { timezone, bucket: wanted, ...question } = query;
    assertZone(timezone);
    const filter = await this.closed({ ...question, visible });
    const bucket = noLessThan(wanted ?? fittingBucket(filter), filter);
    return { ...(await this.history.timeline(filter, bucket, timezone)), bucket, timezone };
  }

  @Get('failures')
  @ApiRoute({
    summary: 'Show when and where runs fail, and why',
    description: 'Failed, partial and missed runs by hour of the day, by repository and by error code.',
    answers: FailureBreakdownDto,
    problems: { 422: ZONE },
  })
  async getHistoryFailures(
    @Query({ schema: FailuresQueryDto }) query: Given<typeof FailuresQueryDto>,
    @Visible() visible: VisibleRepositories,
  ) {
    const { timezone, limit, ...question } = query;
    assertZone(timezone);
    const filter = await this.closed({ ...question, visible });
    const found = await this.history.failures(filter, timezone, limit);
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
    const daysBefore = (days: number): Date => new Date(to.getTime() - days * DAY_MS);
    const wanted = question.from ?? daysBefore(DEFAULT_DAYS);
    const earliest = daysBefore(LONGEST_DAYS);
    // A range that ends before it begins is empty.
    const from = wanted > to ? to : wanted < earliest ? earliest : wanted;
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

/** The wanted bucket, or the next longer one when the range has too many of it. */
function noLessThan(wanted: TimelineBucketSize, { from, to }: HistoryFilter): TimelineBucketSize {
  const allowed = TIMELINE_BUCKETS.slice(TIMELINE_BUCKETS.indexOf(wanted));
  const rangeMs = to.getTime() - from.getTime();
  return allowed.find((size) => rangeMs / BUCKET_MS[size] <= MOST_BUCKETS) ?? 'week';
}

function assertZone(timezone: string): void {
  try {
    assertTimezone(timezone);
  } catch (error) {
    throw naming(error, { timezone_invalid: 'timezone' });
  }
}
