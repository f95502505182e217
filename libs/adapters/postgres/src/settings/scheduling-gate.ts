import { LOCKS } from '../sql/advisory-locks.js';
import { type Queryable } from '../sql/database.js';

/** True while no tick may be claimed. For use inside a statement. */
export const SCHEDULING_IS_PAUSED = `EXISTS (
  SELECT FROM settings WHERE key = 'scheduling_paused' AND value = 'true'::jsonb)`;

/**
 * Blocks changes of settings until the transaction ends. It is a separate statement, so that the claim's next
 * statement sees the change that this one waited for.
 */
export async function holdSettings(tx: Queryable): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock_shared($1::bigint)', [LOCKS.claims]);
}

/** Waits for claims in flight (milliseconds) and blocks new ones until the transaction ends. */
export async function excludeClaims(tx: Queryable): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1::bigint)', [LOCKS.claims]);
}
