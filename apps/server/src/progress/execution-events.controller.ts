import { Get, Headers, Req, Res, type OnModuleDestroy } from '@nestjs/common';
import { ApiHeader, ApiNoContentResponse } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { isEnded, Logger, ProgressStore } from '@core/domain';
import { CallerTokens } from '../access/caller-tokens.js';
import { ApiRoute, Resource } from '../http/api-route.js';
import { referTo } from '../http/openapi.js';
import { IdParam } from '../http/parameters.js';
import { contextOf } from '../http/request-context.js';
import { Metrics } from '../metrics/metrics.js';
import { RequireRole } from '../access/role.js';
import { Authenticator } from '../access/authenticator.js';
import { ScopeCheck } from '../access/scope-check.js';
import { EventStream } from './event-stream.js';
import { END_ID, FollowedTasks, frameOf } from './followed-tasks.js';
import { OpenStreams } from './open-streams.js';
import { ProgressFeed } from './progress-feed.js';
import { ProgressDto } from './progress.schema.js';
import { ProgressService } from './progress.service.js';

@Resource('executions')
export class ExecutionEventsController implements OnModuleDestroy {
  private readonly streams: OpenStreams;
  private readonly tasks: FollowedTasks;

  constructor(
    private readonly progress: ProgressService,
    store: ProgressStore,
    private readonly metrics: Metrics,
    authenticator: Authenticator,
    scopes: ScopeCheck,
    private readonly callerTokens: CallerTokens,
    logger: Logger,
  ) {
    const onCount = (count: number) => metrics.sseClients.set(count);
    this.streams = new OpenStreams(authenticator, scopes, onCount, logger);
    this.tasks = new FollowedTasks(progress, store, logger);
  }

  @Get(':id/events')
  @RequireRole('viewer')
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'Continue after this event, on any pod.',
  })
  @ApiRoute({
    summary: 'Follow an execution live (server-sent events)',
    description:
      'Events named `progress` whose data is a progress object. Ends with the run, or with the token: one that is ' +
      'revoked or expires ends its streams within 10 s. Reconnect with `Last-Event-ID`, to ' +
      'any pod, to continue without a gap. For a client that reads too slowly at most 1000 events wait; when older ones ' +
      'were dropped, an event `dropped` has their number in `dropped_events`.',
    answerDescription: 'The events, until the run has ended.',
    content: { 'text/event-stream': { schema: referTo(ProgressDto) } },
    problems: {
      429: '`rate_limit_exceeded`, `too_many_failures`, `too_many_streams`: `Retry-After` says when to try again.',
    },
  })
  @ApiNoContentResponse({ description: '`Last-Event-ID` names the last event of a run that has ended.' })
  async followExecution(
    @IdParam('execution') executionId: string,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const callerId = contextOf(request).caller?.id ?? '';
    this.streams.assertRoom(callerId);
    const task = await this.progress.get(executionId);
    const hasEnded = isEnded(task);
    // After any other status an EventSource would reconnect forever.
    if (hasEnded && (await this.hasSeenEnd(executionId, lastEventId))) return void response.status(204).end();
    // For a client that has already disconnected, `close` would not fire again.
    if (response.destroyed) return;
    // Again, because other streams may have been opened in the meantime.
    this.streams.assertRoom(callerId);
    const feed = new ProgressFeed(executionId, lastEventId ?? null, this.tasks, this.open(response));
    this.streams.add(response, { callerId, token: this.callerTokens.of(request), executionId, feed });
    response.on('close', () => {
      feed.close();
      this.streams.remove(response);
    });
    await feed.start(frameOf(task, hasEnded ? END_ID : null));
  }

  /** A stopping pod closes its streams at once, so that clients reconnect to another pod. */
  onModuleDestroy(): void {
    this.streams.endAll();
  }

  private open(response: Response): EventStream {
    return new EventStream(response, {
      queued: (change) => this.metrics.sseQueuedEvents.inc(change),
      dropped: () => this.metrics.sseDroppedEvents.inc(),
    });
  }

  private async hasSeenEnd(executionId: string, lastEventId: string | undefined) {
    if (lastEventId === undefined || lastEventId === END_ID) return lastEventId === END_ID;
    const kept = await this.tasks.framesAfter(executionId, null);
    const newest = kept.at(-1);
    return newest !== undefined && newest.isLast && newest.id === lastEventId;
  }
}
