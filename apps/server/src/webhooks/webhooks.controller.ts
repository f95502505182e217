import { Controller, HttpStatus, Inject, Post, Req } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiTags } from '@nestjs/swagger';
import { type Request } from 'express';
import { PushStore } from '@adapters/postgres';
import { Logger } from '@core/domain';
import { type Config } from '@platform/config';
import { NotAudited } from '../http/audited.js';
import { Throttle } from '../access/throttle.js';
import { ApiRoute } from '../http/api-route.js';
import { clientAddress } from '../http/client-address.js';
import { parseJson } from '../http/read-body.js';
import { OpenRoute } from '../access/role.js';
import { CONFIG } from '../injection-tokens.js';
import { readPushEvent } from './push-event.js';
import { WebhookReader } from './webhook-body.js';
import { WebhookReceiptDto } from './webhook.schema.js';

/** Long enough for GitLab's ids, which are UUIDs. */
const LONGEST_DELIVERY_ID = 255;

@ApiTags('webhooks')
@Controller('/webhooks/gitlab')
export class WebhooksController {
  private readonly reader = new WebhookReader();

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'gitlab'>,
    private readonly pushes: PushStore,
    private readonly throttle: Throttle,
    private readonly logger: Logger,
  ) {}

  @Post()
  @OpenRoute()
  @NotAudited()
  @ApiHeader({ name: 'X-Gitlab-Token', description: '`GITLAB_WEBHOOK_SECRET`.', required: false })
  @ApiHeader({
    name: 'webhook-signature',
    description: 'Or `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`.',
    required: false,
  })
  @ApiBody({ description: 'An event as GitLab sends it.', schema: { type: 'object' } })
  @ApiRoute({
    summary: 'Receive an event of GitLab',
    description:
      'A push to a registered branch queues a sync after `WEBHOOK_DEBOUNCE_SECONDS`; other events are accepted and ignored. Schedules sync what a lost webhook missed.',
    status: HttpStatus.ACCEPTED,
    answers: WebhookReceiptDto,
    answerDescription: 'Received.',
    problems: {
      400: '`malformed_request`: the body is not JSON.',
      401: '`webhook_unproven`, `webhook_token_rejected`, `webhook_signature_rejected`, `webhook_timestamp_stale`.',
      404: '`webhooks_disabled`: set `GITLAB_WEBHOOK_SECRET`.',
      429: '`too_many_failures`: too many refused events from this address; `Retry-After` says when to try again.',
      503: '`webhooks_busy`: too many signed events at once.',
    },
  })
  async receiveGitlabEvent(@Req() request: Request) {
    const { webhookSecret, webhookDebounceSeconds } = this.config.gitlab;
    const body = await this.throttle.attempt(clientAddress(request), () =>
      this.reader.read(request, webhookSecret),
    );
    const read = readPushEvent(parseJson(body), request.get('x-gitlab-instance'));
    if ('ignored' in read) return receipt('ignored', read.ignored);
    const outcomes = await this.pushes.accept(read.push, deliveryIdOf(request), webhookDebounceSeconds);
    if (outcomes === null) return receipt('repeated');
    if (outcomes.length === 0) return receipt('ignored', 'not_registered');
    for (const { repositoryId, kind } of outcomes)
      this.logger.info({ repository_id: repositoryId, outcome: kind }, 'push received');
    const queued = outcomes.flatMap((outcome) => (outcome.kind === 'queued' ? [outcome.execution.id] : []));
    return receipt('accepted', null, queued);
  }
}

function receipt(
  status: 'accepted' | 'ignored' | 'repeated',
  reason: string | null = null,
  executionIds: string[] = [],
) {
  return { status, reason, executionIds };
}

/** The id is the same for every retry of a delivery. `X-Gitlab-Event-UUID` is unsuitable, because several hooks share it. */
function deliveryIdOf(request: Request): string | null {
  const id = request.get('webhook-id') ?? request.get('idempotency-key');
  return id === undefined || id === '' ? null : id.slice(0, LONGEST_DELIVERY_ID);
}
