import { type Discovery, type DiscoveryStore, type NewDiscovery, RepotideError } from '@core/domain';
import { clockOf, type Database, insertRow, type Queryable } from '../sql/database.js';
import { isUniqueViolation, noRow, notFound, refuseOldRevision } from '../sql/database-error.js';
import { Conditions, selectPage } from '../sql/page.js';
import { assignments, pick, uuidOrNull } from '../sql/rows.js';
import { discoveredRepositories } from './discovered-repositories.js';
import { discoveryRuns } from './discovery-runs.js';

const EDITABLE = [
  ...(['name', 'includeSubgroups', 'membersOnly', 'includeProjects', 'excludeProjects', 'branches'] as const),
  ...(['archivedProjects', 'credentialId', 'collectionName', 'includeGlobs', 'excludeGlobs'] as const),
  ...(['maxFileBytes', 'chunkSize', 'chunkOverlap', 'scheduleCronExpression', 'scheduleTimezone'] as const),
  ...(['cronExpression', 'timezone', 'isActive', 'graceHours'] as const),
];
/** The properties of a new row. */
const GIVEN = [...EDITABLE, 'baseUrl', 'groupPath'] as const satisfies (keyof NewDiscovery)[];

const FIND = 'SELECT * FROM discoveries WHERE id = $1 AND deleted_at IS NULL';

/** The discoveries, their runs, and the repositories that they register, in Postgres. */
export function createDiscoveryStore(db: Database): DiscoveryStore {
  return {
    ...discoveryRuns(db),
    ...discoveredRepositories(db),
    create: (discovery) =>
      withUniqueName(discovery.name, () =>
        db.transaction(async (tx) => {
          const nextRunAt = discovery.isActive ? await clockOf(tx) : null;
          const row = { ...pick(discovery, GIVEN), nextRunAt };
          return (await insertRow<Discovery>(tx, 'discoveries', row)) ?? noRow();
        }),
      ),
    find: (discoveryId) => db.first(FIND, [uuidOrNull(discoveryId)]),
    list(page) {
      const where = new Conditions('deleted_at IS NULL');
      return selectPage(db, { from: 'discoveries', where, orderBy: 'created_at, id' }, page);
    },
    update: (discoveryId, changes, next, expectedRevision) =>
      withUniqueName(changes.name ?? '', () =>
        db.transaction(async (tx) => {
          const found = await tx.first<Discovery>(`${FIND} FOR NO KEY UPDATE`, [uuidOrNull(discoveryId)]);
          if (found === null) return notFound('discovery', discoveryId);
          refuseOldRevision('discovery', found.revision, expectedRevision);
          const { sql, values } = assignments(changes, EDITABLE, 3);
          const nextRunAt = next({ ...found, ...changes }, await clockOf(tx));
          const row = await tx.first<Discovery>(
            `UPDATE discoveries SET ${[...sql, 'next_run_at = $2'].join(', ')},
              revision = revision + 1, updated_at = clock_timestamp() WHERE id = $1 RETURNING *`,
            [discoveryId, nextRunAt, ...values],
          );
          return row ?? noRow();
        }),
      ),
    softDelete: (discoveryId) => db.transaction((tx) => softDelete(tx, discoveryId)),
  };
}

/** Releases its credential and its repositories, which no discovery retires from then on. */
async function softDelete(tx: Queryable, discoveryId: string): Promise<void> {
  const id = [uuidOrNull(discoveryId)];
  // Lock order of all transactions: discovery, run, repositories. The lock on this row also keeps new runs out.
  if ((await tx.first(`${FIND} FOR NO KEY UPDATE`, id)) === null) return notFound('discovery', discoveryId);
  await tx.query(
    `UPDATE discovery_runs SET status = 'failed', completed_at = clock_timestamp(),
      error_code = 'discovery_deleted', error_message = 'The discovery was deleted.'
      WHERE discovery_id = $1 AND status IN ('queued', 'running')`,
    id,
  );
  await tx.query(
    `UPDATE discoveries SET deleted_at = clock_timestamp(), updated_at = clock_timestamp(), is_active = false,
      next_run_at = NULL, credential_id = NULL, revision = revision + 1
      WHERE id = $1`,
    id,
  );
  await tx.query(
    'SELECT 1 FROM repositories WHERE discovery_id = $1 AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE',
    id,
  );
  await tx.query(
    'UPDATE repositories SET discovery_id = NULL, missing_since = NULL WHERE discovery_id = $1 AND deleted_at IS NULL',
    id,
  );
}

async function withUniqueName<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUniqueViolation(error, 'discoveries_name_key')) throw error;
    throw new RepotideError(
      'conflict',
      'discovery_exists',
      `There is a discovery named "${name}". Change that one, or choose another name.`,
      { details: { name }, cause: error },
    );
  }
}
