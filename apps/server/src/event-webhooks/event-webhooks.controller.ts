import { Body, Delete, Get, Inject, Patch, Post, Query } from '@nestjs/common';
import { EventDeliveries, EventWebhooks } from '@adapters/postgres';
import { type OutgoingHosts } from '@adapters/gitlab';
import { type EventWebhook, RepotideError } from '@core/domain';
import { type Config } from '@platform/config';
import { RequireRole } from '../access/role.js';
import { outgoingHosts } from '../composition/sources.js';
import { ApiRoute, Resource } from '../http/api-route.js';
import { Audited } from '../http/audited.js';
import { type Given } from '../http/model.js';
import { ExpectedRevision, IdParam, someChange } from '../http/parameters.js';
import { existing, naming } from '../http/problem.js';
import { PageQueryDto } from '../http/queries.js';
import { CONFIG } from '../injection-tokens.js';
import { EventSender } from './event-sender.service.js';
import {
  CreateEventWebhookDto,
  EventDeliveryDto,
  EventDeliveryListDto,
  EventDeliveryQueryDto,
  EventWebhookDto,
  EventWebhookListDto,
  NewEventWebhookDto,
  UpdateEventWebhookDto,
} from './event-webhook.schema.js';

const REFUSED_URLS = '`webhook_url_invalid`, `url_not_allowed`';

/** Servers that are sent events, and what was sent to them. */
@Resource('event-webhooks', 'event webhooks')
@RequireRole('admin')
export class EventWebhooksController {
  private readonly outgoing: OutgoingHosts;

  constructor(
    private readonly webhooks: EventWebhooks,
    private readonly deliveries: EventDeliveries,
    private readonly sender: EventSender,
    @Inject(CONFIG) config: Pick<Config, 'gitlab'>,
  ) {
    this.outgoing = outgoingHosts(config.gitlab);
  }

  @Post()
  @ApiRoute({
    summary: 'Register a webhook for events',
    description:
      'Its secret is in this answer and nowhere else; it is stored encrypted under `REPOTIDE_ENCRYPTION_KEY`.',
    answers: NewEventWebhookDto,
    isTagged: true,
    createsUnder: '/api/v1/event-webhooks',
    problems: {
      409: '`webhook_exists`: the name is taken.',
      422: `\`encryption_key_missing\`, ${REFUSED_URLS}.`,
    },
  })
  async createEventWebhook(
    @Body({ schema: CreateEventWebhookDto }) body: Given<typeof CreateEventWebhookDto>,
  ) {
    assertReceiver(body.url, this.outgoing);
    return this.webhooks.create({ scope: null, ...body });
  }

  @Get()
  @ApiRoute({ summary: 'List the webhooks for events', answers: EventWebhookListDto })
  listEventWebhooks(@Query({ schema: PageQueryDto }) query: Given<typeof PageQueryDto>) {
    return this.webhooks.list(query);
  }

  @Get(':id')
  @ApiRoute({ summary: 'Show a webhook for events', answers: EventWebhookDto, isTagged: true })
  getEventWebhook(@IdParam('webhook') webhookId: string) {
    return this.existing(webhookId);
  }

  @Patch(':id')
  @ApiRoute({
    summary: 'Change a webhook for events',
    description: 'With `is_enabled` true, what waited for it is sent.',
    answers: EventWebhookDto,
    isTagged: true,
    problems: { 409: '`webhook_exists`: the name is taken.', 422: `${REFUSED_URLS}.` },
  })
  async updateEventWebhook(
    @IdParam('webhook') webhookId: string,
    @Body({ schema: UpdateEventWebhookDto }) body: Given<typeof UpdateEventWebhookDto>,
    @ExpectedRevision() revision: number | undefined,
  ) {
    if (body.url !== undefined) assertReceiver(body.url, this.outgoing);
    return this.webhooks.update(webhookId, someChange(body), revision);
  }

  @Delete(':id')
  @ApiRoute({ summary: 'Delete a webhook for events and its deliveries', status: 204 })
  deleteEventWebhook(@IdParam('webhook') webhookId: string) {
    return this.webhooks.delete(webhookId);
  }

  @Post(':id/rotate-secret')
  @Audited('event_webhook.rotate')
  @ApiRoute({
    summary: 'Give a webhook a new secret',
    description: 'Deliveries are signed with it from now on. It is in this answer and nowhere else.',
    answers: NewEventWebhookDto,
    isTagged: true,
    problems: { 422: '`encryption_key_missing`.' },
  })
  rotateEventWebhookSecret(@IdParam('webhook') webhookId: string) {
    return this.webhooks.rotateSecret(webhookId);
  }

  @Post(':id/test')
  @Audited('event_webhook.test')
  @ApiRoute({
    summary: 'Send a test event to a webhook',
    description:
      'Sends `webhook.test` once, also when the webhook does not subscribe to it, and returns the outcome.',
    answers: EventDeliveryDto,
  })
  async testEventWebhook(@IdParam('webhook') webhookId: string) {
    return this.sender.test(await this.existing(webhookId));
  }

  @Get(':id/deliveries')
  @ApiRoute({
    summary: 'List the deliveries of a webhook',
    description: 'Newest first. They are kept for seven days.',
    answers: EventDeliveryListDto,
  })
  async listEventDeliveries(
    @IdParam('webhook') webhookId: string,
    @Query({ schema: EventDeliveryQueryDto }) { status, ...page }: Given<typeof EventDeliveryQueryDto>,
  ) {
    const { id } = await this.existing(webhookId);
    return this.deliveries.list({ webhookId: id, status }, page);
  }

  @Post(':id/deliveries/:delivery_id/retry')
  @Audited('event_delivery.retry')
  @ApiRoute({
    summary: 'Send a delivery again',
    description: 'Within seconds, with the same `webhook-id`.',
    answers: EventDeliveryDto,
  })
  retryEventDelivery(
    @IdParam('webhook') webhookId: string,
    @IdParam('delivery', 'delivery_id') deliveryId: string,
  ) {
    return this.deliveries.retry(webhookId, deliveryId);
  }

  private async existing(webhookId: string): Promise<EventWebhook> {
    return existing(await this.webhooks.find(webhookId), 'webhook', webhookId);
  }
}

/** @throws invalid `webhook_url_invalid`, `url_not_allowed`. */
function assertReceiver(address: string, outgoing: OutgoingHosts): void {
  if (!isReceiver(address)) {
    const message =
      'url must be an absolute https:// address without user, password and fragment. Put a secret of the receiver into its path.';
    throw new RepotideError('invalid', 'webhook_url_invalid', message, { details: { field: 'url' } });
  }
  try {
    outgoing.assertUrl(address);
  } catch (error) {
    throw naming(error, { url_not_allowed: 'url' });
  }
}

function isReceiver(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password, hash } = new URL(address);
  return ['http:', 'https:'].includes(protocol) && username === '' && password === '' && hash === '';
}
