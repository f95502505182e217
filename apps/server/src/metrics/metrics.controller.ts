import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { CIRCUIT_STATES, LeaderElection, ProgressStore } from '@core/domain';
import { OpenRoute } from '../access/role.js';
import { Metrics } from './metrics.js';
import { SnapshotsService } from './snapshots.service.js';

/** Metrics for Prometheus. Needs no token, because it contains only numbers and names of projects, never content. */
@ApiTags('health')
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly metrics: Metrics,
    private readonly snapshots: SnapshotsService,
    private readonly election: LeaderElection,
    private readonly progress: ProgressStore,
  ) {}

  @Get()
  @OpenRoute()
  @ApiOperation({ summary: 'Show metrics in the format of Prometheus' })
  @ApiProduces('text/plain')
  @ApiOkResponse({ description: 'One line for each series.', schema: { type: 'string' } })
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  async scrape() {
    this.metrics.isLeader.set(this.election.isLeader() ? 1 : 0);
    const current = this.progress.state();
    for (const state of CIRCUIT_STATES)
      this.metrics.progressBreaker.set({ state }, state === current ? 1 : 0);
    await this.snapshots.refresh();
    return this.metrics.registry.metrics();
  }
}
