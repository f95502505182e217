import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireRole } from '../access/role.js';
import { ApiRoute } from '../http/api-route.js';
import { type VisibleRepositories } from '@core/domain';
import { Visible } from '../http/parameters.js';
import { fieldsOf } from '../http/model.js';
import {
  FailureBreakdownDto,
  FailuresQueryDto,
  HistoryQueryDto,
  HistorySummaryDto,
  TimelineDto,
  TimelineQueryDto,
} from './history.schema.js';
import { HistoryService } from './history.service.js';

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
  })
  getHistorySummary(
    @Query({ schema: HistoryQueryDto }) query: HistoryQueryDto,
    @Visible() visible: VisibleRepositories,
  ) {
    return this.history.summary({ ...fieldsOf(query), visible });
  }

  @Get('timeline')
  @ApiRoute({
    summary: 'Show runs, files, chunks and embeddings over time',
    answers: TimelineDto,
    problems: { 422: ZONE },
  })
  getHistoryTimeline(
    @Query({ schema: TimelineQueryDto }) query: TimelineQueryDto,
    @Visible() visible: VisibleRepositories,
  ) {
    const { timezone, bucket, ...filter } = query;
    return this.history.timeline({ ...fieldsOf(filter), visible }, bucket, timezone);
  }

  @Get('failures')
  @ApiRoute({
    summary: 'Show when and where runs fail, and why',
    description: 'Failed, partial and missed runs by hour of the day, by repository and by error code.',
    answers: FailureBreakdownDto,
    problems: { 422: ZONE },
  })
  getHistoryFailures(
    @Query({ schema: FailuresQueryDto }) query: FailuresQueryDto,
    @Visible() visible: VisibleRepositories,
  ) {
    const { timezone, limit, ...filter } = query;
    return this.history.failures({ ...fieldsOf(filter), visible }, timezone, limit);
  }
}
