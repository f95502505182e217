import { Body, Delete, Get, Patch, Post, Query, Res } from '@nestjs/common';
import { type Response } from 'express';
import { ApiRoute, header, Resource, SOURCE_PROBLEMS } from '../http/api-route.js';
import { type Given } from '../http/model.js';
import {
  OptionalBody,
  ExpectedRevision,
  IdempotencyKey,
  IdParam,
  RequestSignal,
  someChange,
  type OwnRequestKey,
} from '../http/parameters.js';
import { PageQueryDto } from '../http/queries.js';
import { CallerName, RequireRole } from '../access/role.js';
import { type DiscoveryRequest, DiscoveriesService } from './discoveries.service.js';
import {
  CreateDiscoveryDto,
  DiscoveryDto,
  DiscoveryListDto,
  DiscoveryPreviewDto,
  DiscoveryRunDto,
  DiscoveryRunListDto,
  RunDiscoveryDto,
  UpdateDiscoveryDto,
} from './discovery.schema.js';

const WRONG_VALUES =
  '`group_not_found`, `glob_invalid`, `cron_invalid`, `timezone_invalid`, `collection_name_invalid`, ' +
  '`chunk_overlap_invalid`, `source_url_invalid`, `url_not_allowed`, `credential_unavailable`.';
const REFUSED = { 409: '`discovery_exists`: the name is taken.', 422: WRONG_VALUES, ...SOURCE_PROBLEMS };

@Resource('discoveries')
export class DiscoveriesController {
  constructor(private readonly discoveries: DiscoveriesService) {}

  @Post()
  @RequireRole('admin')
  @ApiRoute({
    summary: 'Register a whole group, or a whole host',
    description:
      'Its first run follows at once. Later runs register new projects, and retire removed ones after a grace.',
    answers: DiscoveryDto,
    isTagged: true,
    createsUnder: '/api/v1/discoveries',
    problems: REFUSED,
  })
  createDiscovery(
    @Body({ schema: CreateDiscoveryDto }) body: Given<typeof CreateDiscoveryDto>,
    @RequestSignal() signal: AbortSignal,
  ) {
    return this.discoveries.create(requestOf(body), signal);
  }

  @Get()
  @RequireRole('viewer')
  @ApiRoute({ summary: 'List discoveries', answers: DiscoveryListDto })
  listDiscoveries(@Query({ schema: PageQueryDto }) query: Given<typeof PageQueryDto>) {
    return this.discoveries.list(query);
  }

  @Get(':id')
  @RequireRole('viewer')
  @ApiRoute({ summary: 'Show a discovery', answers: DiscoveryDto, isTagged: true })
  getDiscovery(@IdParam('discovery') discoveryId: string) {
    return this.discoveries.get(discoveryId);
  }

  @Patch(':id')
  @RequireRole('admin')
  @ApiRoute({
    summary: 'Change a discovery',
    description:
      'The next run obeys the change; repositories that are registered keep their settings. Host and group cannot change.',
    answers: DiscoveryDto,
    isTagged: true,
    problems: REFUSED,
  })
  updateDiscovery(
    @IdParam('discovery') discoveryId: string,
    @Body({ schema: UpdateDiscoveryDto }) body: Given<typeof UpdateDiscoveryDto>,
    @ExpectedRevision() revision: number | undefined,
    @RequestSignal() signal: AbortSignal,
  ) {
    return this.discoveries.update(discoveryId, someChange(requestOf(body)), revision, signal);
  }

  @Delete(':id')
  @RequireRole('admin')
  @ApiRoute({
    summary: 'Delete a discovery',
    description: 'Its repositories are kept, like repositories registered by hand.',
    status: 204,
  })
  deleteDiscovery(@IdParam('discovery') discoveryId: string) {
    return this.discoveries.remove(discoveryId);
  }

  @Post(':id/run')
  @RequireRole('operator')
  @ApiRoute({
    summary: 'Run a discovery now',
    description: 'Queues a run and answers at once; with `dry_run` it answers what a run would do.',
    status: 202,
    answers: DiscoveryRunDto,
    answerDescription: 'Queued.',
    otherAnswer: {
      status: 200,
      description: 'Dry run: what a run would do.',
      standardSchema: DiscoveryPreviewDto,
    },
    headers: { Location: header('Address of the run.') },
    problems: { 409: '`discovery_running`; of a dry run `discovery_loss_refused`.', ...SOURCE_PROBLEMS },
  })
  async runDiscovery(
    @IdParam('discovery') discoveryId: string,
    @OptionalBody(RunDiscoveryDto) { force, dryRun }: Given<typeof RunDiscoveryDto>,
    @CallerName() requestedBy: string | null,
    @IdempotencyKey() key: OwnRequestKey | undefined,
    @RequestSignal() signal: AbortSignal,
    @Res({ passthrough: true }) response: Response,
  ) {
    if (dryRun) {
      response.status(200);
      return this.discoveries.preview(discoveryId, force, signal);
    }
    const run = await this.discoveries.run(discoveryId, { force, requestedBy }, key);
    response.location(`/api/v1/discoveries/${discoveryId}/runs/${run.id}`);
    return run;
  }

  @Get(':id/runs')
  @RequireRole('viewer')
  @ApiRoute({
    summary: 'List the runs of a discovery',
    description: 'Newest first; the last hundred are kept.',
    answers: DiscoveryRunListDto,
  })
  listDiscoveryRuns(
    @IdParam('discovery') discoveryId: string,
    @Query({ schema: PageQueryDto }) query: Given<typeof PageQueryDto>,
  ) {
    return this.discoveries.listRuns(discoveryId, query);
  }

  @Get(':id/runs/:run_id')
  @RequireRole('viewer')
  @ApiRoute({ summary: 'Show a run of a discovery', answers: DiscoveryRunDto })
  getDiscoveryRun(@IdParam('discovery') discoveryId: string, @IdParam('run', 'run_id') runId: string) {
    return this.discoveries.getRun(discoveryId, runId);
  }
}

function requestOf({ schedule, ...request }: Given<typeof CreateDiscoveryDto>): DiscoveryRequest {
  if (schedule === undefined) return request;
  if (schedule === null) return { ...request, scheduleCronExpression: null };
  const { cron_expression: scheduleCronExpression, timezone: scheduleTimezone } = schedule;
  return { ...request, scheduleCronExpression, scheduleTimezone };
}
