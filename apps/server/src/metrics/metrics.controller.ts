import { Controller, Get, Header, Inject, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { type Config } from '@platform/config';
import { type Request } from 'express';
import { OpenRoute } from '../access/role.js';
import { rejected } from '../access/json-web-token.js';
import { Throttle } from '../access/throttle.js';
import { ApiProblem } from '../http/api-route.js';
import { clientAddress } from '../http/client-address.js';
import { HttpProblem } from '../http/problem.js';
import { CONFIG } from '../injection-tokens.js';
import { MetricsPage } from './metrics-page.js';

/** Headers that proxies and Ingress controllers add. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

/**
 * Metrics for Prometheus at the port of the API, unless METRICS_PORT names another one. Names of projects are not for
 * everybody, so requests that come through a proxy are refused.
 */
@ApiTags('health')
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly page: MetricsPage,
    private readonly throttle: Throttle,
    @Inject(CONFIG) private readonly config: Pick<Config, 'metrics'>,
  ) {}

  @Get()
  @OpenRoute()
  @ApiOperation({
    summary: 'Show metrics in the format of Prometheus',
    description: 'With `METRICS_TOKEN`, it needs `Authorization: Bearer <METRICS_TOKEN>`.',
  })
  @ApiProduces('text/plain')
  @ApiOkResponse({ description: 'One line for each series.', schema: { type: 'string' } })
  @Header('Content-Type', MetricsPage.contentType)
  @ApiProblem(401, '`token_rejected`: `METRICS_TOKEN` is set, and the request has another token or none.')
  @ApiProblem(403, '`metrics_not_public`: the request came through a proxy.')
  @ApiProblem(404, '`route_not_found`: `METRICS_PORT` is set, and the metrics are there alone.')
  async scrape(@Req() request: Request) {
    if (this.config.metrics.port !== undefined) {
      const detail = 'Metrics are served at METRICS_PORT. Scrape the pods there.';
      throw new HttpProblem(404, 'route_not_found', detail);
    }
    if (FORWARDED.some((name) => request.get(name) !== undefined)) {
      const detail = 'Metrics are not served through a proxy. Scrape the pods directly, at their port.';
      throw new HttpProblem(403, 'metrics_not_public', detail);
    }
    await this.throttle.attempt(clientAddress(request), async () => {
      if (!this.page.admits(request.get('authorization'))) throw rejected();
    });
    return this.page.render();
  }
}
