import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FailureCounts } from '@core/domain';
import { RequireRole } from '../access/role.js';
import { ApiRoute } from '../http/api-route.js';
import { fieldsOf, present } from '../http/model.js';
import {
  DurationsDto,
  FailureBreakdownDto,
  FailuresQueryDto,
  HistoryQueryDto,
  HistorySummaryDto,
  TimelineBucketDto,
  TimelineDto,
  TimelineQueryDto,
  WorkTotalsDto,
} from './history.schema.js';
import { HistoryService } from './history.service.js';

const FORM = 'A parameter is wrong, or the range; `errors` names each.';
const ZONE = '`timezone_invalid`.';

@ApiTags('history')
@Controller('api/v1/history')
@RequireRole('viewer')
export class HistoryController {
  constructor(private readonly history: HistoryService) {}

  @Get('summary')
  @ApiRoute({
    summary: 'Sum up the runs of a range',
    description: 'Counts, durations and work of the runs that were queued in it, exact to the row.',
    answers: HistorySummaryDto,
    problems: { 400: FORM },
  })
  async getHistorySummary(
    @Query({ schema: HistoryQueryDto }) query: HistoryQueryDto,
  ): Promise<HistorySummaryDto> {
    const { summary, suggestion } = await this.history.summary(fieldsOf(query));
    const { runs, durations, totals } = summary;
    const judged = runs.completed + runs.partial + runs.failed;
    return present(HistorySummaryDto, summary, {
      total_runs: Object.values(runs).reduce((sum, each) => sum + each, 0),
      success_rate: judged === 0 ? null : runs.completed / judged,
      durations: present(DurationsDto, durations, {
        mean_seconds: durations.mean,
        p50_seconds: durations.p50,
        p95_seconds: durations.p95,
        max_seconds: durations.max,
      }),
      totals: present(WorkTotalsDto, totals),
      suggested_lease_ttl: suggestion,
    });
  }

  @Get('timeline')
  @ApiRoute({
    summary: 'Show runs, files, chunks and embeddings over time',
    answers: TimelineDto,
    problems: { 400: FORM, 422: ZONE },
  })
  async getHistoryTimeline(
    @Query({ schema: TimelineQueryDto }) query: TimelineQueryDto,
  ): Promise<TimelineDto> {
    const { timezone, bucket: wanted, ...filter } = query;
    const { timeline, bucket } = await this.history.timeline(fieldsOf(filter), wanted, timezone);
    const buckets = timeline.buckets.map((each) =>
      present(TimelineBucketDto, each, { totals: present(WorkTotalsDto, each.totals) }),
    );
    return present(TimelineDto, timeline, { bucket, timezone, buckets });
  }

  @Get('failures')
  @ApiRoute({
    summary: 'Show when and where runs fail, and why',
    description: 'Failed, partial and missed runs by hour of the day, by repository and by error code.',
    answers: FailureBreakdownDto,
    problems: { 400: FORM, 422: ZONE },
  })
  async getHistoryFailures(
    @Query({ schema: FailuresQueryDto }) query: FailuresQueryDto,
  ): Promise<FailureBreakdownDto> {
    const { timezone, limit, ...filter } = query;
    const found = await this.history.failures(fieldsOf(filter), timezone, limit);
    return present(FailureBreakdownDto, found, {
      timezone,
      total: countsOf(found.total),
      by_hour: found.byHour.map(({ hour, ...counts }) => ({ hour, ...countsOf(counts) })),
      by_repository: found.byRepository.map(({ repositoryId, projectPath, branch, ...counts }) => ({
        repository_id: repositoryId,
        project_path: projectPath,
        branch,
        ...countsOf(counts),
      })),
      by_error_code: found.byErrorCode.map(({ errorCode, ...counts }) => ({
        error_code: errorCode,
        ...countsOf(counts),
      })),
    });
  }
}

function countsOf({ failed, partial, missed }: FailureCounts) {
  return { failures: failed + partial + missed, failed, partial, missed };
}
