import {
  type IndexDrift,
  type IndexState,
  type Pointer,
  type PointTally,
  type RuleWarning,
  type RunIdentity,
} from '@core/domain';
import { uuidOrNull } from '../sql/rows.js';
import { type Queryable } from '../sql/database.js';
import { attemptParameters, fenceLost, IS_CURRENT_ATTEMPT } from '../sql/fence.js';

/** A select list for `repository_indexes i`; the row may be absent. */
export const INDEX_STATE = `i.generation_id, i.last_synced_commit, i.last_sync_at, i.index_fingerprint, i.mark_fence, i.mark_points,
  i.lost_since, i.last_verified_at, i.last_drift,
  COALESCE(i.index_dirty, false) AS index_dirty, COALESCE(i.index_suspicions, 0) AS index_suspicions,
  COALESCE(i.warnings, '[]') AS warnings`;

/** @param generation SQL of the generation's id, in terms of repository $1; the same in all functions here. */
export function findIndexState(db: Queryable, repositoryId: string, generation: string): Promise<IndexState> {
  return db.one(
    `SELECT ${INDEX_STATE} FROM (SELECT) AS one
      LEFT JOIN repository_indexes i ON i.repository_id = $1 AND i.generation_id = ${generation}`,
    [uuidOrNull(repositoryId)],
  );
}

export async function markDirty(
  tx: Queryable,
  run: RunIdentity,
  generation: string,
  warnings: readonly RuleWarning[] | undefined,
): Promise<void> {
  await tx.query(
    `INSERT INTO repository_indexes AS i (repository_id, generation_id, index_dirty, warnings)
      VALUES ($1, ${generation}, true, COALESCE($2::jsonb, '[]'))
      ON CONFLICT (repository_id, generation_id) DO UPDATE
        SET index_dirty = true, warnings = COALESCE($2::jsonb, i.warnings)
        WHERE NOT i.index_dirty OR i.warnings <> $2::jsonb`,
    [run.repositoryId, warnings === undefined ? null : JSON.stringify(warnings)],
  );
}

/** Without a row there is no index, so there is nothing to note. */
export async function recordVerification(
  tx: Queryable,
  run: RunIdentity,
  generation: string,
  drift: IndexDrift | null,
): Promise<void> {
  await tx.query(
    `UPDATE repository_indexes SET last_verified_at = clock_timestamp(), last_drift = $2::jsonb
      WHERE repository_id = $1 AND generation_id = ${generation}`,
    [run.repositoryId, drift === null ? null : JSON.stringify(drift)],
  );
}

/** @throws fence_lost */
export async function advancePointer(
  db: Queryable,
  run: RunIdentity,
  generation: string,
  { commit, fingerprint, indexSuspicions, projectPath, tally }: Pointer,
): Promise<void> {
  const written = await db.query(
    `WITH current AS (
        SELECT id FROM schedule_execution_logs WHERE ${IS_CURRENT_ATTEMPT} FOR NO KEY UPDATE),
      named AS (
        UPDATE repositories r SET project_path = COALESCE($4, project_path),
          last_synced_commit = CASE WHEN g.status = 'active' THEN $5 ELSE r.last_synced_commit END
          FROM current, index_generations g WHERE r.id = $1 AND g.id = ${generation} AND (
            r.project_path <> $4 OR g.status = 'active' AND r.last_synced_commit IS DISTINCT FROM $5))
      INSERT INTO repository_indexes AS i
        (repository_id, generation_id, last_synced_commit, index_fingerprint, index_dirty, last_sync_at,
          mark_fence, mark_points)
      SELECT $1, ${generation}, $5, $6, $7 <> 0, clock_timestamp(), $9, $10 FROM current
      ON CONFLICT (repository_id, generation_id) DO UPDATE SET
        last_synced_commit = excluded.last_synced_commit, index_fingerprint = excluded.index_fingerprint,
        index_dirty = (i.index_suspicions <> $7), last_sync_at = excluded.last_sync_at,
        lost_since = CASE WHEN i.index_suspicions <> $7 THEN i.lost_since END,
        suspect_since = CASE WHEN i.index_suspicions <> $7 THEN i.suspect_since END,
        mark_fence = CASE WHEN $8 THEN excluded.mark_fence ELSE i.mark_fence END,
        mark_points = CASE WHEN $8 THEN excluded.mark_points ELSE i.mark_points END
      RETURNING i.repository_id`,
    [
      ...attemptParameters(run),
      ...[projectPath ?? null, commit, fingerprint, indexSuspicions, tally !== undefined],
      ...markOf(tally),
    ],
  );
  if (written.length === 0) throw fenceLost(run);
}

/** Both null without points. */
function markOf(tally: PointTally | undefined): (number | null)[] {
  const fence = tally?.newestFence ?? null;
  return [fence, fence === null ? null : tally!.atNewestFence];
}
