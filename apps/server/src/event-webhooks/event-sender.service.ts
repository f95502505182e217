import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { openDispatcher } from '@adapters/gitlab';
import { type ClaimedDelivery, EventDeliveries, EventWebhooks } from '@adapters/postgres';
import { errorFields, type EventDelivery, type EventWebhook, Logger, toRepotideError } from '@core/domain';
import { type Config } from '@platform/config';
import { type Dispatcher } from 'undici';
import { outgoingHosts } from '../composition/sources.js';
import { CONFIG } from '../injection-tokens.js';
import { Metrics } from '../metrics/metrics.js';
import { type Answer, ANSWER_SECONDS, sendEvent } from './webhook-request.js';

/** Seconds from each failed attempt to the next; about two days in all. */
const RETRY_SECONDS = [5, 60, 300, 1800, 7200, 21_600, 43_200, 86_400];
/** A webhook without any success for this long is disabled. */
const PATIENCE_SECONDS = 3 * 86_400;
/** At most this many requests to one webhook at once. */
const PER_WEBHOOK = 10;
/** Longer than an attempt takes: afterwards its pod is lost, and another attempt follows. */
const CLAIM_SECONDS = ANSWER_SECONDS + 5;
/** The receiver wants no more events. */
const GONE = 410;

/** Sends events to webhooks, at least once each. A slow receiver delays no other one. */
@Injectable()
export class EventSender implements BeforeApplicationShutdown {
  private readonly dispatcher: Dispatcher;
  /** The webhooks that are being served. */
  private readonly busy = new Map<string, Promise<void>>();

  constructor(
    private readonly webhooks: EventWebhooks,
    private readonly deliveries: EventDeliveries,
    private readonly metrics: Metrics,
    private readonly logger: Logger,
    @Inject(CONFIG) config: Pick<Config, 'gitlab'>,
  ) {
    const outgoing = outgoingHosts(config.gitlab);
    this.dispatcher = openDispatcher({ pipelining: 1, timeoutMs: ANSWER_SECONDS * 1000, outgoing });
  }

  /** Starts to send what is due, and does not wait for the receivers. */
  async sendDue(): Promise<void> {
    while ((await this.deliveries.spreadEvents()) > 0);
    const claimed = await this.deliveries.claimDue(PER_WEBHOOK, CLAIM_SECONDS, [...this.busy.keys()]);
    for (const webhookId of new Set(claimed.map((delivery) => delivery.webhookId))) {
      const first = claimed.filter((delivery) => delivery.webhookId === webhookId);
      this.busy.set(
        webhookId,
        this.serve(first).finally(() => this.busy.delete(webhookId)),
      );
    }
  }

  /** Sends a test event now, once. */
  async test(webhook: EventWebhook): Promise<EventDelivery> {
    const delivery = await this.deliveries.claimTest(webhook, CLAIM_SECONDS);
    await this.send(delivery, { isOnlyAttempt: true });
    return this.deliveries.find(delivery.id);
  }

  /** Waits for the requests in flight, so that their results are recorded. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.busy.values());
    await this.dispatcher.close();
  }

  /** Never throws: what has no result is claimed again. */
  private async serve(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    try {
      await Promise.all(deliveries.map((delivery) => this.send(delivery)));
    } catch (thrown) {
      this.logger.warn(errorFields(thrown), 'results of event deliveries not recorded; they are sent again');
    }
  }

  private async send(delivery: ClaimedDelivery, { isOnlyAttempt = false } = {}): Promise<void> {
    const answer = await this.request(delivery);
    if (answer.status !== null && answer.status >= 200 && answer.status < 300) {
      this.metrics.eventDeliveries.inc({ outcome: 'delivered' });
      return this.deliveries.recordDelivered(delivery, answer.status);
    }
    const retryAfterSeconds = isOnlyAttempt ? null : (RETRY_SECONDS[delivery.attempts - 1] ?? null);
    this.metrics.eventDeliveries.inc({ outcome: retryAfterSeconds === null ? 'failed' : 'retried' });
    const isGone = answer.status === GONE;
    const failed = { responseStatus: answer.status, error: errorOf(answer), retryAfterSeconds, isGone };
    const isDisabled = await this.deliveries.recordFailed(delivery, failed, PATIENCE_SECONDS);
    const fields = { webhook_id: delivery.webhookId, delivery_id: delivery.id, error: failed.error };
    if (isDisabled) this.logger.error(fields, 'webhook disabled after its failures');
    else this.logger.warn(fields, 'event not delivered');
  }

  private async request({ id, webhookId, url, body, ...sealed }: ClaimedDelivery): Promise<Answer> {
    try {
      const key = await this.webhooks.signingKey(webhookId, sealed);
      return await sendEvent({ id, url, body, key }, this.dispatcher);
    } catch (thrown) {
      return { status: null, error: toRepotideError(thrown).message };
    }
  }
}

function errorOf(answer: Answer): string {
  if (answer.status === null) return answer.error;
  const isRedirect = answer.status >= 300 && answer.status < 400;
  return `The receiver answered ${answer.status}.${isRedirect ? ' Redirects are not followed: correct the URL.' : ''}`;
}
