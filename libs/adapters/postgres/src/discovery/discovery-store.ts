import {
  type Discovery,
  type DiscoveryChanges,
  type DiscoveryStore,
  type NewDiscovery,
  type NextLook,
  RepotideError,
} from '@core/domain';
import { assignments, columnName, uuidOrNull } from '../sql/columns.js';
import { clockOf, type Database, type Queryable } from '../sql/database.js';
import { isUniqueViolation } from '../sql/database-error.js';
import { Conditions, selectPage } from '../sql/page.js';
import { refuseOldRevision } from '../sql/revision.js';
import { discoveredRepositories } from './discovered-repositories.js';
import { discoveryRuns } from './discovery-runs.js';
import { discoveryNotFound, GIVEN, noRow, SELECT_DISCOVERY } from './rows.js';

const EDITABLE = GIVEN.filter((property) => property !== 'baseUrl' && property !== 'groupPath');

/** The discoveries, their runs, and the repositories that they register, in Postgres. */
export function createDiscoveryStore(db: Database): DiscoveryStore {
  return {
    ...discoveryRuns(db),
    ...discoveredRepositories(db),

    create: (discovery) => withUniqueName(discovery.name, () => insert(db, discovery)),

    async find(discoveryId) {
      const [row] = await db.query<Discovery>(
        `SELECT ${SELECT_DISCOVERY} FROM discoveries WHERE id = $1 AND deleted_at IS NULL`,
        [uuidOrNull(discoveryId)],
      );
      return row ?? null;
    },

    list(page) {
      const where = new Conditions('deleted_at IS NULL');
      const orderBy = 'created_at, id';
      return selectPage(db, { select: SELECT_DISCOVERY, from: 'discoveries', where, orderBy }, page);
    },

    update: (discoveryId, changes, next, expectedRevision) =>
      withUniqueName(changes.name ?? '', () =>
        db.transaction((tx) => update(tx, discoveryId, changes, next, expectedRevision)),
      ),

    softDelete: (discoveryId) => db.transaction((tx) => softDelete(tx, discoveryId)),
  };
}

async function insert(db: Queryable, discovery: NewDiscovery): Promise<Discovery> {
  const columns = GIVEN.map(columnName).join(', ');
  const [row] = await db.query<Discovery>(
    `INSERT INTO discoveries (${columns}, next_run_at)
      VALUES (${GIVEN.map((_, index) => `$${index + 1}`).join(', ')},
        CASE WHEN $${GIVEN.indexOf('isActive') + 1}::boolean THEN clock_timestamp() END)
      RETURNING ${SELECT_DISCOVERY}`,
    GIVEN.map((property) => discovery[property]),
  );
  return row ?? noRow();
}

async function update(
  tx: Queryable,
  discoveryId: string,
  changes: DiscoveryChanges,
  next: NextLook,
  expectedRevision: number | undefined,
): Promise<Discovery> {
  const [found] = await tx.query<Discovery>(
    `SELECT ${SELECT_DISCOVERY} FROM discoveries WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE`,
    [uuidOrNull(discoveryId)],
  );
  if (found === undefined) return discoveryNotFound(discoveryId);
  refuseOldRevision('discovery', found.revision, expectedRevision);
  const { sql, values } = assignments(changes, EDITABLE, 3);
  const nextRunAt = next({ ...found, ...changes }, await clockOf(tx));
  const [row] = await tx.query<Discovery>(
    `UPDATE discoveries SET ${[...sql, 'next_run_at = $2'].join(', ')},
      revision = revision + 1, updated_at = clock_timestamp() WHERE id = $1 RETURNING ${SELECT_DISCOVERY}`,
    [discoveryId, nextRunAt, ...values],
  );
  return row ?? noRow();
}

/** Releases its credential and its repositories, which no discovery retires from then on. */
async function softDelete(tx: Queryable, discoveryId: string): Promise<void> {
  const id = uuidOrNull(discoveryId);
  // Lock order of all transactions: discovery, run, repositories. The lock on this row also keeps new runs out.
  const held = await tx.query(
    `SELECT 1 FROM discoveries WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE`,
    [id],
  );
  if (held.length === 0) return discoveryNotFound(discoveryId);
  await tx.query(
    `UPDATE discovery_runs SET status = 'failed', completed_at = clock_timestamp(),
      error_code = 'discovery_deleted', error_message = 'The discovery was deleted.'
      WHERE discovery_id = $1 AND status IN ('queued', 'running')`,
    [id],
  );
  await tx.query(
    `UPDATE discoveries SET deleted_at = clock_timestamp(), updated_at = clock_timestamp(), is_active = false,
      next_run_at = NULL, credential_id = NULL, revision = revision + 1
      WHERE id = $1`,
    [id],
  );
  await tx.query(
    `SELECT 1 FROM repositories WHERE discovery_id = $1 AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE`,
    [id],
  );
  await tx.query(
    `UPDATE repositories SET discovery_id = NULL, missing_since = NULL WHERE discovery_id = $1 AND deleted_at IS NULL`,
    [id],
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
