import { type Queryable } from '../sql/database.js';

/** Claims share it, a change of settings has it alone. Beside the migrations' lock; the value itself is arbitrary. */
const CLAIM_GATE = 7_305_041_966;

/** True while no tick may be claimed. For use inside a statement. */
export const SCHEDULING_IS_PAUSED = `EXISTS (
  SELECT FROM settings WHERE key = 'scheduling_paused' AND value = 'true'::jsonb)`;

/**
 * Until the transaction ends no setting changes. A statement of its own: the claim's next one then sees what the change
 * committed that this waited for.
 */
export async function holdSettings(tx: Queryable): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock_shared($1::bigint)', [CLAIM_GATE]);
}

/** Waits for the claims that are under way and holds the next ones back until the transaction ends: milliseconds. */
export async function excludeClaims(tx: Queryable): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1::bigint)', [CLAIM_GATE]);
}
