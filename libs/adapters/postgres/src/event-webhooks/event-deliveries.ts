import { randomUUID } from 'node:crypto';
import {
  type EventDelivery,
  type EventDeliveryStatus,
  type EventWebhook,
  type Page,
  type PageRequest,
  TEST_EVENT,
} from '@core/domain';
import { type Sealed } from '../credentials/keyring.js';
import { type Database, type Queryable } from '../sql/database.js';
import { notFound } from '../sql/database-error.js';
import { Conditions, selectPage } from '../sql/page.js';
import { uuidOrNull } from '../sql/rows.js';
import { bodyOf, isWantedBy, type OutboxEvent, type Subscription } from './event-bodies.js';

/** Events that one transaction spreads. */
const MOST_EVENTS = 500;

/** A delivery that this caller alone may attempt until the claim ends. */
export interface ClaimedDelivery extends Sealed {
  id: string;
  webhookId: string;
  url: string;
  body: string;
  /** The number of this attempt. */
  attempts: number;
}

/** How an attempt failed. */
export interface FailedAttempt {
  responseStatus: number | null;
  error: string;
  /** Seconds until the next attempt; null: there is none. */
  retryAfterSeconds: number | null;
  /** Whether the receiver said that it wants no more events. */
  isGone: boolean;
}

/** Events that wait to be sent, and what became of those that were. */
export class EventDeliveries {
  constructor(private readonly db: Database) {}

  /**
   * Writes what happened as deliveries of the webhooks that want it. Each event is spread once, because it leaves the outbox in
   * the same transaction. @returns the number of events.
   */
  spreadEvents(): Promise<number> {
    return this.db.transaction(async (tx) => {
      const events = await takeEvents(tx);
      if (events.length === 0) return 0;
      // The lock keeps a webhook from being deleted before its deliveries are written.
      const webhooks = await tx.query<Subscription>(
        'SELECT id, events, scope FROM event_webhooks WHERE disabled_at IS NULL FOR KEY SHARE',
      );
      const wanted = events.flatMap((event) =>
        webhooks.filter((webhook) => isWantedBy(webhook, event)).map(({ id }) => ({ id, event })),
      );
      await tx.query(
        `INSERT INTO event_deliveries (id, webhook_id, event_type, body)
          SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[])`,
        [
          wanted.map(() => randomUUID()),
          wanted.map(({ id }) => id),
          wanted.map(({ event }) => event.type),
          wanted.map(({ event }) => bodyOf(event)),
        ],
      );
      return events.length;
    });
  }

  /**
   * Claims deliveries whose time has come. A claim that ends without a result, because its pod was lost, is claimed again:
   * receivers get each event at least once.
   * @param perWebhook the most of one webhook. @param except webhooks that are being served.
   */
  claimDue(perWebhook: number, claimSeconds: number, except: readonly string[]): Promise<ClaimedDelivery[]> {
    return this.db.query(
      `WITH due AS (
          SELECT d.id FROM event_webhooks w CROSS JOIN LATERAL (
              SELECT id FROM event_deliveries
                WHERE webhook_id = w.id AND next_attempt_at <= clock_timestamp()
                ORDER BY next_attempt_at, id LIMIT $1 FOR UPDATE SKIP LOCKED
            ) d
            WHERE w.disabled_at IS NULL AND w.id <> ALL ($3::uuid[])
        )
        UPDATE event_deliveries d SET ${CLAIM}
          FROM due, event_webhooks w WHERE d.id = due.id AND w.id = d.webhook_id AND d.status = 'pending'
          RETURNING ${CLAIMED}`,
      [perWebhook, claimSeconds, except],
    );
  }

  /** Makes a test event, and claims it. @throws not_found `webhook_not_found`. */
  async claimTest(webhook: EventWebhook, claimSeconds: number): Promise<ClaimedDelivery> {
    const body = JSON.stringify({
      type: TEST_EVENT,
      timestamp: new Date().toISOString(),
      data: { webhook_id: webhook.id, name: webhook.name },
    });
    const claimed = await this.db.first<ClaimedDelivery>(
      `WITH made AS (
          INSERT INTO event_deliveries (id, webhook_id, event_type, body, attempts, last_attempt_at, next_attempt_at)
            SELECT $3, id, '${TEST_EVENT}', $4, 1, clock_timestamp(), clock_timestamp() + make_interval(secs => $2)
              FROM event_webhooks WHERE id = $1 RETURNING *
        )
        SELECT ${CLAIMED} FROM made d JOIN event_webhooks w ON w.id = d.webhook_id`,
      [webhook.id, claimSeconds, randomUUID(), body],
    );
    return claimed ?? notFound('webhook', webhook.id);
  }

  /** A result that comes after the claim has ended changes nothing. */
  async recordDelivered({ id, attempts }: ClaimedDelivery, responseStatus: number): Promise<void> {
    await this.db.query(
      `WITH done AS (
          UPDATE event_deliveries SET status = 'delivered', next_attempt_at = NULL, response_status = $3, error = NULL
            WHERE id = $1 AND attempts = $2 AND status = 'pending' RETURNING webhook_id
        )
        UPDATE event_webhooks w SET failing_since = NULL, last_delivered_at = clock_timestamp()
          FROM done WHERE w.id = done.webhook_id`,
      [id, attempts, responseStatus],
    );
  }

  /**
   * Disables the webhook when it is gone, or when none of its deliveries has succeeded for `patienceSeconds`. A test changes
   * nothing of its webhook. @returns whether the webhook was disabled.
   */
  async recordFailed(
    claimed: ClaimedDelivery,
    failed: FailedAttempt,
    patienceSeconds: number,
  ): Promise<boolean> {
    const { responseStatus, error, retryAfterSeconds, isGone } = failed;
    const disabled = await this.db.first<{ isDisabled: boolean }>(
      `WITH done AS (
          UPDATE event_deliveries SET status = CASE WHEN $5::double precision IS NULL THEN 'failed' ELSE 'pending' END,
              next_attempt_at = clock_timestamp() + make_interval(secs => $5), response_status = $3, error = $4
            WHERE id = $1 AND attempts = $2 AND status = 'pending' RETURNING webhook_id, event_type
        ),
        failing AS (
          SELECT w.id, COALESCE(w.failing_since, clock_timestamp()) AS since FROM event_webhooks w
            JOIN done ON w.id = done.webhook_id WHERE done.event_type <> '${TEST_EVENT}' FOR UPDATE OF w
        )
        UPDATE event_webhooks w SET failing_since = failing.since,
            disabled_at = CASE WHEN ${IS_GIVEN_UP} THEN COALESCE(disabled_at, clock_timestamp()) ELSE disabled_at END,
            disabled_reason = CASE WHEN ${IS_GIVEN_UP} THEN COALESCE(disabled_reason, 'No delivery has succeeded since '
              || to_char(failing.since AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI "UTC"') || '. ' || $4) ELSE disabled_reason END
          FROM failing WHERE w.id = failing.id
          RETURNING ${IS_GIVEN_UP} AS is_disabled`,
      [claimed.id, claimed.attempts, responseStatus, error, retryAfterSeconds, patienceSeconds, isGone],
    );
    return disabled?.isDisabled ?? false;
  }

  /** Sends it again as soon as possible. @throws not_found `delivery_not_found`. */
  async retry(webhookId: string, deliveryId: string): Promise<EventDelivery> {
    const row = await this.db.first<EventDelivery>(
      `UPDATE event_deliveries SET status = 'pending', next_attempt_at = clock_timestamp()
        WHERE webhook_id = $1 AND id = $2 RETURNING *`,
      [uuidOrNull(webhookId), uuidOrNull(deliveryId)],
    );
    return row ?? notFound('delivery', deliveryId);
  }

  find(deliveryId: string): Promise<EventDelivery> {
    return this.db.one('SELECT * FROM event_deliveries WHERE id = $1', [deliveryId]);
  }

  /** Newest first. */
  list(
    { webhookId, status }: { webhookId: string; status: EventDeliveryStatus | undefined },
    page: PageRequest,
  ): Promise<Page<EventDelivery>> {
    const where = new Conditions().add('webhook_id = ?', uuidOrNull(webhookId)).add('status = ?', status);
    return selectPage(this.db, { from: 'event_deliveries', where, orderBy: 'created_at DESC, id' }, page);
  }

  async deleteOlderThan(days: number): Promise<void> {
    await this.db.query(
      'DELETE FROM event_deliveries WHERE created_at < clock_timestamp() - make_interval(days => $1)',
      [days],
    );
  }

  count(): Promise<{ pending: number; disabled: number }> {
    return this.db.one(
      `SELECT (SELECT count(*) FROM event_deliveries WHERE next_attempt_at IS NOT NULL) AS pending,
        (SELECT count(*) FROM event_webhooks WHERE disabled_at IS NOT NULL AND failing_since IS NOT NULL) AS disabled`,
    );
  }
}

const CLAIM = `attempts = attempts + 1, last_attempt_at = clock_timestamp(),
  next_attempt_at = clock_timestamp() + make_interval(secs => $2)`;
const CLAIMED = 'd.id, d.webhook_id, d.body, d.attempts, w.url, w.ciphertext, w.nonce, w.auth_tag, w.key_id';
const IS_GIVEN_UP = '($7::boolean OR failing.since < clock_timestamp() - make_interval(secs => $6))';

async function takeEvents(tx: Queryable): Promise<OutboxEvent[]> {
  return tx.query<OutboxEvent>(
    `WITH taken AS (
        DELETE FROM event_outbox WHERE id IN
          (SELECT id FROM event_outbox ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED) RETURNING *
      )
      SELECT t.type, t.occurred_at, t.data, t.repository_id, r.project_path, r.base_url, r.branch
        FROM taken t JOIN repositories r ON r.id = t.repository_id ORDER BY t.id`,
    [MOST_EVENTS],
  );
}
