import { randomBytes, randomUUID } from 'node:crypto';
import {
  type EventWebhook,
  type EventWebhookChanges,
  type KeyRotation,
  type NewEventWebhook,
  type Page,
  type PageRequest,
} from '@core/domain';
import { Keyring, resealAll, type Sealed } from '../credentials/keyring.js';
import { type Database, type Queryable } from '../sql/database.js';
import { notFound, refuseOldRevision, refusingTwin, type Twin } from '../sql/database-error.js';
import { selectPage } from '../sql/page.js';
import { assignments, editOf, insertInto, pick, uuidOrNull } from '../sql/rows.js';

/** Of the key: the Standard Webhooks specification allows 24 to 64. */
const KEY_BYTES = 32;
const SECRET_PREFIX = 'whsec_';
const EDITABLE = ['name', 'url', 'events', 'scope'] as const;

/** For rows of `event_webhooks` named `w`. Contains no part of the secret. */
const COLUMNS = `w.id, w.name, w.url, w.events, w.scope, w.disabled_at IS NULL AS is_enabled, w.disabled_reason,
  w.failing_since, w.last_delivered_at, w.revision, w.created_at, w.updated_at,
  (SELECT count(*) FROM event_deliveries d WHERE d.webhook_id = w.id AND d.next_attempt_at IS NOT NULL) AS pending_count`;

export interface EventWebhookKeys {
  /** REPOTIDE_ENCRYPTION_KEY: seals and opens. Without it no secret is stored. */
  encryptionKey?: string | undefined;
  /** The second key of REPOTIDE_ENCRYPTION_KEY: it only decrypts. */
  previousEncryptionKey?: string | undefined;
}

/** The secret in clear text is answered when it is made, and nowhere else. */
export type WithSecret = EventWebhook & { secret: string };

/** Webhooks that are sent events. Their secrets are sealed as those of credentials are, with the same errors. */
export class EventWebhooks {
  private readonly keyring: Keyring;

  constructor(
    private readonly db: Database,
    { encryptionKey, previousEncryptionKey }: EventWebhookKeys,
  ) {
    this.keyring = new Keyring(encryptionKey, previousEncryptionKey);
  }

  /** @throws conflict `webhook_exists` when the name is taken; invalid `encryption_key_missing`. */
  async create(webhook: NewEventWebhook): Promise<WithSecret> {
    const id = randomUUID();
    const { secret, sealed } = await this.newSecret(id);
    const { sql, values } = insertInto('event_webhooks AS w', { ...webhook, id, ...sealed });
    const row = await refusingTwin(twinOf(webhook.name), () =>
      this.db.one<EventWebhook>(`${sql} RETURNING ${COLUMNS}`, values),
    );
    return { ...row, secret };
  }

  find(webhookId: string): Promise<EventWebhook | null> {
    return this.db.first(`SELECT ${COLUMNS} FROM event_webhooks w WHERE id = $1`, [uuidOrNull(webhookId)]);
  }

  list(page: PageRequest): Promise<Page<EventWebhook>> {
    return selectPage(this.db, { select: COLUMNS, from: 'event_webhooks w', orderBy: 'w.name' }, page);
  }

  /**
   * Enabling it again forgets why it was disabled; what waited for it is then delivered.
   * @throws not_found `webhook_not_found`; conflict `webhook_exists`, `revision_mismatch`.
   */
  update(webhookId: string, changes: EventWebhookChanges, revision?: number): Promise<EventWebhook> {
    const { isEnabled } = changes;
    const also = isEnabled === undefined ? [] : enablement(isEnabled);
    return this.db.transaction(async (tx) => {
      const { id, revision: present } = await locked(tx, webhookId);
      refuseOldRevision('webhook', present, revision);
      const { sql, values } = editOf('event_webhooks w', id, pick(changes, EDITABLE), also);
      return refusingTwin(twinOf(changes.name), () =>
        tx.one<EventWebhook>(`${sql} RETURNING ${COLUMNS}`, values),
      );
    });
  }

  /** Its deliveries are deleted too. @throws not_found `webhook_not_found`. */
  async delete(webhookId: string): Promise<void> {
    const deleted = 'DELETE FROM event_webhooks WHERE id = $1 RETURNING id';
    if (!(await this.db.has(deleted, [uuidOrNull(webhookId)]))) notFound('webhook', webhookId);
  }

  /** From now on deliveries are signed with the new secret. @throws not_found `webhook_not_found`. */
  async rotateSecret(webhookId: string): Promise<WithSecret> {
    const { secret, sealed } = await this.newSecret(webhookId.toLowerCase());
    const { sql, values } = editOf('event_webhooks w', uuidOrNull(webhookId), sealed);
    const row = await this.db.first<EventWebhook>(`${sql} RETURNING ${COLUMNS}`, values);
    return { ...(row ?? notFound('webhook', webhookId)), secret };
  }

  /** The key of its signatures. @throws as the secrets of credentials. */
  async signingKey(webhookId: string, sealed: Sealed): Promise<Buffer> {
    return Buffer.from(String(await this.keyring.open(sealed, boundTo(webhookId))), 'base64');
  }

  /** Encrypts every secret with the current key. Safe to repeat. */
  async rotateKey(): Promise<KeyRotation> {
    const stale = await this.db.query<Sealed & { id: string }>(
      'SELECT id, ciphertext, nonce, auth_tag, key_id FROM event_webhooks WHERE key_id <> $1 ORDER BY id',
      [await this.keyring.presentKeyId()],
    );
    return resealAll(stale, async ({ id, ...former }) => {
      const secret = (await this.keyring.open(former, boundTo(id))) as string;
      const { sql, values } = assignments(await this.keyring.seal(secret, boundTo(id)), 3);
      // A secret that was replaced meanwhile is already under the current key.
      const update = `UPDATE event_webhooks SET ${sql} WHERE id = $1 AND ciphertext = $2`;
      await this.db.query(update, [id, former.ciphertext, ...values]);
    });
  }

  private async newSecret(webhookId: string): Promise<{ secret: string; sealed: Sealed }> {
    const key = randomBytes(KEY_BYTES).toString('base64');
    return {
      secret: `${SECRET_PREFIX}${key}`,
      sealed: await this.keyring.seal(key, boundTo(webhookId)),
    };
  }
}

function boundTo(webhookId: string): string {
  return JSON.stringify(['repotide event webhook', webhookId]);
}

function enablement(isEnabled: boolean): string[] {
  if (isEnabled) return ['disabled_at = NULL', 'disabled_reason = NULL', 'failing_since = NULL'];
  const reason = `COALESCE(disabled_reason, 'It was disabled by hand.')`;
  return ['disabled_at = COALESCE(disabled_at, clock_timestamp())', `disabled_reason = ${reason}`];
}

async function locked(tx: Queryable, webhookId: string): Promise<{ id: string; revision: number }> {
  const row = await tx.first<{ id: string; revision: number }>(
    'SELECT id, revision FROM event_webhooks WHERE id = $1 FOR UPDATE',
    [uuidOrNull(webhookId)],
  );
  return row ?? notFound('webhook', webhookId);
}

function twinOf(name = ''): Twin {
  const message = `There is already a webhook named "${name}". Choose another name.`;
  return { constraint: 'event_webhooks_name_key', code: 'webhook_exists', message };
}
