import { type AuditCheck, type AuditLink, throwIfAborted } from '@core/domain';
import { type Database, type Queryable } from '../sql/database.js';

type Place = Pick<AuditLink, 'id' | 'hash'>;

const CHECKED_AT_ONCE = 20_000;
const DELETED_AT_ONCE = 10_000;
const BEFORE_ALL: Place = { id: 0, hash: '0'.repeat(64) };

/** The records after a place, each with what is wrong with it. */
const COMPARED = `
  SELECT id, hash,
    CASE
      WHEN id <> prior_id + 1 THEN 'records before it are missing'
      WHEN previous_hash <> prior_hash THEN 'it does not continue the record before it'
      WHEN hash <> encode(sha256(convert_to(previous_hash || E'\\n' || content, 'UTF8')), 'hex')
        THEN 'its content was changed'
      WHEN at <> (content::jsonb ->> 'at')::timestamptz THEN 'its time was changed'
    END AS problem
  FROM (
    SELECT *, lag(id, 1, $1::bigint) OVER (ORDER BY id) AS prior_id, lag(hash, 1, $2) OVER (ORDER BY id) AS prior_hash
      FROM audit_records WHERE id > $1 AND id <= $3 ORDER BY id LIMIT ${CHECKED_AT_ONCE}
  ) records`;

/**
 * Compares all records up to the newest at the start, in parts, so that no statement takes long. Begins again when retention
 * has deleted records meanwhile.
 */
export async function checkChain(db: Database, signal: AbortSignal, known?: Place): Promise<AuditCheck> {
  const head = await headOf(db);
  const anchor = await anchorOf(db);
  const result = { head, anchor, checked: 0, broken: await problemOfKnown(db, known, anchor) };
  let prior: Place = anchor ? { id: anchor.lastId, hash: anchor.hash } : BEFORE_ALL;
  while (head !== null && prior.id < head.id) {
    throwIfAborted(signal);
    const part = await db.first<
      Place & { compared: number; brokenId: number | null; problem: string | null }
    >(
      `WITH compared AS MATERIALIZED (${COMPARED}),
          broken AS (SELECT * FROM compared WHERE problem IS NOT NULL ORDER BY id LIMIT 1)
        SELECT last.id, last.hash, (SELECT count(*) FROM compared) AS compared, broken.id AS broken_id, broken.problem
          FROM (SELECT * FROM compared ORDER BY id DESC LIMIT 1) last LEFT JOIN broken ON true`,
      [prior.id, prior.hash, head.id],
    );
    if (part === null) break;
    if (part.brokenId !== null && part.problem !== null) {
      if ((await anchorOf(db))?.lastId !== anchor?.lastId) return checkChain(db, signal, known);
      const broken = { id: part.brokenId, problem: part.problem };
      return { ...result, checked: result.checked + part.compared, isIntact: false, broken };
    }
    result.checked += part.compared;
    prior = { id: part.id, hash: part.hash };
  }
  return { ...result, isIntact: result.broken === null };
}

/** A shortened or rewritten chain is consistent in itself: only a record that was kept elsewhere reveals it. */
async function problemOfKnown(
  db: Queryable,
  known: Place | undefined,
  anchor: AuditCheck['anchor'],
): Promise<AuditCheck['broken']> {
  if (known === undefined) return null;
  const found = await db.first<Place>('SELECT id, hash FROM audit_records WHERE id = $1', [known.id]);
  if (found === null && anchor !== null && known.id < anchor.lastId) return null;
  const hash = found?.hash ?? (anchor?.lastId === known.id ? anchor.hash : null);
  if (hash === known.hash) return null;
  const problem = hash === null ? 'the known record is missing' : 'the known record had another hash';
  return { id: known.id, problem };
}

type Anchor = NonNullable<AuditCheck['anchor']>;

function anchorOf(db: Queryable): Promise<Anchor | null> {
  return db.first<Anchor>('SELECT * FROM audit_anchors ORDER BY last_id DESC LIMIT 1');
}

function headOf(db: Queryable): Promise<Place | null> {
  return db.first<Place>('SELECT id, hash FROM audit_records ORDER BY id DESC LIMIT 1');
}

/** Deletes the oldest records up to the first one of a later time. The newest record always remains. */
export async function deleteOldest(db: Database, before: Date): Promise<number> {
  const first = await db.first<{ id: number }>(
    `SELECT id FROM audit_records
      WHERE at >= $1 OR id = (SELECT max(id) FROM audit_records) ORDER BY id LIMIT 1`,
    [before],
  );
  if (first === null) return 0;
  for (let deleted = 0; ;) {
    const part = await db.transaction((tx) => deletePart(tx, first.id));
    if (part === 0) return deleted;
    deleted += part;
  }
}

/** The database accepts it only with the anchor. */
async function deletePart(tx: Queryable, end: number): Promise<number> {
  const anchor = await tx.first<{ lastId: number }>(
    `INSERT INTO audit_anchors (last_id, hash)
      SELECT id, hash FROM (
        SELECT id, hash FROM audit_records WHERE id < $1 ORDER BY id LIMIT ${DELETED_AT_ONCE}
      ) oldest ORDER BY id DESC LIMIT 1
      RETURNING last_id`,
    [end],
  );
  if (anchor === null) return 0;
  const count = await tx.first<{ count: number }>(
    `WITH deleted AS (DELETE FROM audit_records WHERE id <= $1 RETURNING id) SELECT count(*) FROM deleted`,
    [anchor.lastId],
  );
  return count?.count ?? 0;
}
