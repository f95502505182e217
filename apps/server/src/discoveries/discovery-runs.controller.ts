import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiResponse, ApiTags } from '@nestjs/swagger';
import { type Response } from 'express';
import { SOURCE_PROBLEMS } from '../http/api-problem.js';
import { ApiRoute } from '../http/api-route.js';
import { CallerName } from '../access/caller.js';
import { ApiIdempotencyKey, IdempotencyKey, type OwnRequestKey } from '../http/idempotency-key.js';
import { ApiId, IdParam } from '../http/id-param.js';
import { present, presentPage, type ListDto } from '../http/model.js';
import { PageQueryDto } from '../http/queries.js';
import { RequestSignal } from '../http/request-signal.js';
import { RequireRole } from '../access/role.js';
import { DiscoveriesService } from './discoveries.service.js';
import {
  DiscoveryPreviewDto,
  DiscoveryRunDto,
  DiscoveryRunListDto,
  RunDiscoveryDto,
} from './discovery.schema.js';
import { showPreview } from './show-preview.js';

@ApiTags('discoveries')
@Controller('api/v1/discoveries/:id')
export class DiscoveryRunsController {
  constructor(private readonly discoveries: DiscoveriesService) {}

  @Post('run')
  @RequireRole('operator')
  @ApiId('discovery')
  @ApiIdempotencyKey()
  @ApiBody({ required: false })
  @ApiRoute({
    summary: 'Run a discovery now',
    description: 'Queues a run and answers at once; with `dry_run` it answers what a run would do.',
    status: 202,
    answers: DiscoveryRunDto,
    answerDescription: 'Queued.',
    headers: { Location: 'Address of the run.' },
    problems: {
      409: '`discovery_running`; of a dry run `discovery_loss_refused`.',
      ...SOURCE_PROBLEMS,
    },
  })
  @ApiResponse({
    status: 200,
    description: 'Dry run: what a run would do.',
    standardSchema: DiscoveryPreviewDto,
  })
  async runDiscovery(
    @IdParam() discoveryId: string,
    @Body({ schema: RunDiscoveryDto }) body: RunDiscoveryDto,
    @CallerName() requestedBy: string | null,
    @IdempotencyKey() key: OwnRequestKey | undefined,
    @RequestSignal() signal: AbortSignal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DiscoveryRunDto | DiscoveryPreviewDto> {
    const { force } = body;
    if (body.dry_run) {
      const { discovery, preview } = await this.discoveries.preview(discoveryId, force, signal);
      response.status(200);
      return showPreview(preview, discovery.graceHours);
    }
    const run = await this.discoveries.run(discoveryId, { force, requestedBy }, key);
    response.location(`/api/v1/discoveries/${discoveryId}/runs/${run.id}`);
    return present(DiscoveryRunDto, run);
  }

  @Get('runs')
  @RequireRole('viewer')
  @ApiId('discovery')
  @ApiRoute({
    summary: 'List the runs of a discovery',
    description: 'Newest first; the last hundred are kept.',
    answers: DiscoveryRunListDto,
  })
  async listDiscoveryRuns(
    @IdParam() discoveryId: string,
    @Query({ schema: PageQueryDto }) query: PageQueryDto,
  ): Promise<ListDto<DiscoveryRunDto>> {
    return presentPage(DiscoveryRunDto, await this.discoveries.listRuns(discoveryId, query));
  }

  @Get('runs/:run_id')
  @RequireRole('viewer')
  @ApiId('discovery')
  @ApiId('run', 'run_id')
  @ApiRoute({ summary: 'Show a run of a discovery', answers: DiscoveryRunDto })
  async getDiscoveryRun(
    @IdParam() discoveryId: string,
    @IdParam('run_id') runId: string,
  ): Promise<DiscoveryRunDto> {
    return present(DiscoveryRunDto, await this.discoveries.getRun(discoveryId, runId));
  }
}
