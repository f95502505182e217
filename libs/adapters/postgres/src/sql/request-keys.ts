import { RepotideError, type RequestKey } from '@core/domain';
import { type Queryable } from './database.js';

/** How long a repeated request is recognized. */
const KEY_LIFE = `interval '24 hours'`;

/**
 * Binds a caller's idempotency key to a new execution, within the transaction that creates the execution. A
 * concurrent request with the same key waits for the first one to commit.
 * @returns the execution that the key was already bound to; null when it is now bound to the new one.
 * @throws invalid `idempotency_key_reused` when the key came with another request.
 */
export async function bindRequestKey(
  tx: Queryable,
  { caller, key, requestHash }: RequestKey,
  newExecutionId: string,
): Promise<string | null> {
  const isBound = await tx.has(
    `INSERT INTO idempotency_keys AS k (caller, key, request_hash, execution_id) VALUES ($1, $2, $3, $4)
      ON CONFLICT (caller, key) DO UPDATE SET request_hash = excluded.request_hash,
        execution_id = excluded.execution_id, created_at = excluded.created_at
      WHERE k.created_at < clock_timestamp() - ${KEY_LIFE} RETURNING 1`,
    [caller, key, requestHash, newExecutionId],
  );
  if (isBound) return null;
  const former = await tx.first<{ requestHash: string; executionId: string }>(
    'SELECT request_hash, execution_id FROM idempotency_keys WHERE caller = $1 AND key = $2',
    [caller, key],
  );
  if (former?.requestHash === requestHash) return former.executionId;
  const message =
    'This Idempotency-Key came with another request within 24 hours. Use a new key for a new request.';
  const details = { field: 'Idempotency-Key', execution_id: former?.executionId ?? null };
  throw new RepotideError('invalid', 'idempotency_key_reused', message, { details });
}

/** Deletes expired keys. */
export const FORGET_REQUEST_KEYS = `DELETE FROM idempotency_keys WHERE created_at < clock_timestamp() - ${KEY_LIFE}`;
