import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
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
  ) {}

  @Get()
  @OpenRoute()
  @ApiOperation({ summary: 'Show metrics in the format of Prometheus' })
  @ApiProduces('text/plain')
  @ApiOkResponse({ description: 'One line for each series.', schema: { type: 'string' } })
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  async scrape() {
    await this.snapshots.refresh();
    return this.metrics.registry.metrics();
  }
}
