import { Controller, Get, Header, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { CIRCUIT_STATES, LeaderElection, ProgressStore } from '@core/domain';
import { type Request } from 'express';
import { ApiProblem } from '../http/api-route.js';
import { HttpProblem } from '../http/problem.js';
import { OpenRoute } from '../access/role.js';
import { Metrics } from './metrics.js';
import { SnapshotsService } from './snapshots.service.js';

/** Headers that proxies and Ingress controllers add. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

/**
 * Metrics for Prometheus, which scrapes the pods directly and needs no token. Names of projects are not for everybody, so
 * requests that come through a proxy are refused.
 */
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
  @ApiProblem(403, '`metrics_not_public`: the request came through a proxy.')
  async scrape(@Req() request: Request) {
    if (FORWARDED.some((name) => request.get(name) !== undefined)) {
      const detail = 'Metrics are not served through a proxy. Scrape the pods directly, at their port.';
      throw new HttpProblem(403, 'metrics_not_public', detail);
    }
    this.metrics.isLeader.set(this.election.isLeader() ? 1 : 0);
    const current = this.progress.state();
    for (const state of CIRCUIT_STATES)
      this.metrics.progressBreaker.set({ state }, state === current ? 1 : 0);
    await this.snapshots.refresh();
    return this.metrics.registry.metrics();
  }
}
