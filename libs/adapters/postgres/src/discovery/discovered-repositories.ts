import { type DiscoveryStore, type KnownRepository } from '@core/domain';
import { softDelete } from '../repositories/repository-deletion.js';
import { insertRepository } from '../repositories/repository-rows.js';
import { type Database } from '../sql/database.js';
import { insertSchedule } from '../schedules/schedule-store.js';
import { holdRun } from './discovery-runs.js';

const SELECT_KNOWN =
  'SELECT id, project_id, project_path, branch, discovery_id, missing_since FROM repositories';

/** `$1` the discovery, `$2` its grace in hours. */
const IS_RETIRABLE = `discovery_id = $1 AND deleted_at IS NULL
  AND missing_since <= clock_timestamp() - make_interval(hours => $2)`;

/** The repositories that discoveries register, mark as missing, and retire. */
export function discoveredRepositories(
  db: Database,
): Pick<DiscoveryStore, 'listKnown' | 'register' | 'recordListing' | 'listRetirable' | 'retire'> {
  return {
    listKnown: ({ baseUrl }) =>
      db.query<KnownRepository>(
        `${SELECT_KNOWN} WHERE base_url = $1 AND deleted_at IS NULL ORDER BY created_at, id`,
        [baseUrl],
      ),

    register: (run, repository, schedule) =>
      db.transaction(async (tx) => {
        await holdRun(tx, run);
        const { sql, values } = insertRepository(repository, run.discoveryId);
        const row = await tx.first<{ id: string }>(
          `${sql} ON CONFLICT (provider, base_url, project_id, branch) WHERE deleted_at IS NULL DO NOTHING RETURNING id`,
          values,
        );
        if (row === null) return null;
        if (schedule !== null) {
          const newSchedule = { ...schedule.template, repositoryId: row.id, isActive: true };
          await insertSchedule(tx, newSchedule, schedule.next);
        }
        return row.id;
      }),

    recordListing: (run, seen, missing) =>
      db.transaction(async (tx) => {
        await holdRun(tx, run);
        const seenIds = seen.map(({ id }) => id);
        const seenPaths = seen.map(({ projectPath }) => projectPath);
        const missingIds = missing.map(({ id }) => id);
        // Locks the rows in the order of ids, as claims do, so that two transactions cannot deadlock.
        await tx.query(
          `SELECT 1 FROM repositories r LEFT JOIN unnest($2::uuid[], $3::text[]) AS s (id, project_path) ON s.id = r.id
            WHERE r.discovery_id = $1 AND r.deleted_at IS NULL
              AND (r.missing_since IS NULL AND r.id = ANY ($4::uuid[])
                OR s.id IS NOT NULL AND (r.missing_since IS NOT NULL OR r.project_path <> s.project_path))
            ORDER BY r.id FOR NO KEY UPDATE OF r`,
          [run.discoveryId, seenIds, seenPaths, missingIds],
        );
        await tx.query(
          `UPDATE repositories r
            SET missing_since = NULL, project_path = s.project_path, updated_at = clock_timestamp()
            FROM unnest($2::uuid[], $3::text[]) AS s (id, project_path)
            WHERE r.id = s.id AND r.discovery_id = $1 AND r.deleted_at IS NULL
              AND (r.missing_since IS NOT NULL OR r.project_path <> s.project_path)`,
          [run.discoveryId, seenIds, seenPaths],
        );
        await tx.query(
          `UPDATE repositories SET missing_since = clock_timestamp(), updated_at = clock_timestamp()
            WHERE id = ANY ($2::uuid[]) AND discovery_id = $1 AND deleted_at IS NULL AND missing_since IS NULL`,
          [run.discoveryId, missingIds],
        );
      }),

    listRetirable: ({ id, graceHours }) =>
      db.query<KnownRepository>(`${SELECT_KNOWN} WHERE ${IS_RETIRABLE} ORDER BY missing_since, id`, [
        id,
        graceHours,
      ]),

    retire: (run, repositoryId, graceHours) =>
      db.transaction(async (tx) => {
        // Only a run of this discovery can change the condition below, and this locks the run.
        await holdRun(tx, run);
        const isRetirable = `SELECT 1 FROM repositories WHERE ${IS_RETIRABLE} AND id = $3`;
        if (!(await tx.has(isRetirable, [run.discoveryId, graceHours, repositoryId]))) return false;
        await softDelete(tx, repositoryId);
        return true;
      }),
  };
}
