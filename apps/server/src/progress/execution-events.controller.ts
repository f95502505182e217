import { Controller, Get, Headers, Inject, Res, type OnModuleDestroy } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Response } from 'express';
import { type Logger } from '@core/domain';
import { ApiProblem } from '../http/api-problem.js';
import { ApiId, IdParam } from '../http/id-param.js';
import { Metrics } from '../metrics/metrics.js';
import { RequireRole } from '../http/role.js';
import { LOGGER } from '../tokens.js';
import { EventStream } from './event-stream.js';
import { ProgressFeed } from './progress-feed.js';
import { ProgressService } from './progress.service.js';

@ApiTags('executions')
@Controller('api/v1/executions')
export class ExecutionEventsController implements OnModuleDestroy {
  private readonly responses = new Set<Response>();

  constructor(
    private readonly progress: ProgressService,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Get(':id/events')
  @RequireRole('viewer')
  @ApiId('execution')
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'Go on after this event, on any pod.',
  })
  @ApiOperation({
    summary: 'Follow an execution live (server-sent events)',
    description:
      'Events named `progress` whose data is a progress object. Ends with the run. Reconnect with `Last-Event-ID`, to ' +
      'any pod, to go on without a gap.',
  })
  @ApiOkResponse({
    description: 'The events, until the run has ended.',
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  })
  @ApiProblem(500, '`internal_error`: the log holds the cause under the request id.')
  @ApiProblem(503, 'The database does not answer now.')
  async followExecution(
    @IdParam() executionId: string,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() response: Response,
  ): Promise<void> {
    const initial = await this.progress.get(executionId);
    const stream = new EventStream(response);
    const feed = new ProgressFeed(executionId, lastEventId ?? null, this.progress, stream, this.logger);
    this.responses.add(response);
    this.metrics.sseClients.set(this.responses.size);
    response.on('close', () => {
      feed.close();
      this.responses.delete(response);
      this.metrics.sseClients.set(this.responses.size);
    });
    await feed.start(initial);
  }

  /** A stopping pod lets its clients go at once, so that they go on elsewhere. */
  onModuleDestroy(): void {
    for (const response of this.responses) response.end();
  }
}
