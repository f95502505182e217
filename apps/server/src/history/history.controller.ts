import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiRoute } from '../http/api-route.js';
import { RequireRole } from '../access/role.js';
import { FailureBreakdownDto } from './failures.dto.js';
import { FailuresQueryDto, HistoryQueryDto, TimelineQueryDto } from './history-queries.dto.js';
import { HistoryService, type HistoryQuestion } from './history.service.js';
import { HistorySummaryDto } from './summary.dto.js';
import { TimelineDto } from './timeline.dto.js';

const DEFAULT_ZONE = 'UTC';
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
  async getHistorySummary(@Query() query: HistoryQueryDto): Promise<HistorySummaryDto> {
    const { summary, suggestion } = await this.history.summary(questionOf(query));
    return HistorySummaryDto.of(summary, suggestion);
  }

  @Get('timeline')
  @ApiRoute({
    summary: 'Show runs, files, chunks and embeddings over time',
    answers: TimelineDto,
    problems: { 400: FORM, 422: ZONE },
  })
  async getHistoryTimeline(@Query() query: TimelineQueryDto): Promise<TimelineDto> {
    const { timezone = DEFAULT_ZONE } = query;
    const { timeline, bucket } = await this.history.timeline(questionOf(query), query.bucket, timezone);
    return TimelineDto.of(timeline, bucket, timezone);
  }

  @Get('failures')
  @ApiRoute({
    summary: 'Show when and where runs fail, and why',
    description: 'Failed, partial and missed runs by hour of the day, by repository and by error code.',
    answers: FailureBreakdownDto,
    problems: { 400: FORM, 422: ZONE },
  })
  async getHistoryFailures(@Query() query: FailuresQueryDto): Promise<FailureBreakdownDto> {
    const { timezone = DEFAULT_ZONE, limit } = query;
    return FailureBreakdownDto.of(await this.history.failures(questionOf(query), timezone, limit), timezone);
  }
}

function questionOf(query: HistoryQueryDto): HistoryQuestion {
  return {
    from: query.from,
    to: query.to,
    repositoryId: query.repository_id,
    scheduleId: query.schedule_id,
    trigger: query.trigger,
    podName: query.pod_name,
  };
}
