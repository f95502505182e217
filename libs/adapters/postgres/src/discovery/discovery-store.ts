import {
  type Discovery,
  type DiscoveryChanges,
  type DiscoveryRun,
  type DiscoveryStore,
  type NewDiscovery,
  type NextLook,
  RepotideError,
} from '@core/domain';
import { assignments, columnName, uuidOrNull } from '../sql/columns.js';
import { type Database, type Queryable } from '../sql/database.js';
import { isUniqueViolation } from '../sql/database-error.js';
import { Conditions, selectPage } from '../sql/page.js';
import { refuseOldRevision } from '../sql/revision.js';
import { clockOf } from '../schedules/schedule-store.js';
import { claim, enqueue, finish, handBack, heartbeat, queueDue, recover } from './discovery-runs.js';
import { listKnown, listRetirable, noteListing, register, retire } from './discovered-repositories.js';
import { discoveryNotFound, GIVEN, noRow, SELECT_DISCOVERY, SELECT_RUN } from './rows.js';

const EDITABLE = GIVEN.filter((property) => property !== 'baseUrl' && property !== 'groupPath');

/** The discoveries, their runs, and what they registered, in Postgres. */
export function createDiscoveryStore(db: Database): DiscoveryStore {
  return {
    create: (discovery) => namedOnce(discovery.name, () => insert(db, discovery)),
    find: (discoveryId) => find(db, discoveryId),
    list(page) {
      const where = new Conditions('deleted_at IS NULL');
      const orderBy = 'created_at, id';
      return selectPage(db, { select: SELECT_DISCOVERY, from: 'discoveries', where, orderBy }, page);
    },
    update: (discoveryId, changes, next, expectedRevision) =>
      namedOnce(changes.name ?? '', () =>
        db.transaction((tx) => update(tx, discoveryId, changes, next, expectedRevision)),
      ),
    softDelete: (discoveryId) => db.transaction((tx) => softDelete(tx, discoveryId)),

    enqueue: (request) => db.transaction((tx) => enqueue(tx, request)),
    findRun: (discoveryId, runId) => findRun(db, discoveryId, runId),
    listRuns(discoveryId, page) {
      const where = new Conditions().add('discovery_id = ?', uuidOrNull(discoveryId));
      const orderBy = 'queued_at DESC, id DESC';
      return selectPage(db, { select: SELECT_RUN, from: 'discovery_runs', where, orderBy }, page);
    },
    queueDue: (next) => queueDue(db, next),
    claim: (podName) => db.transaction((tx) => claim(tx, podName)),
    heartbeat: (run) => heartbeat(db, run),
    finish: (run, outcome) => db.transaction((tx) => finish(tx, run, outcome)),
    handBack: (run) => handBack(db, run),
    recover: (staleAfterSeconds) => recover(db, staleAfterSeconds),

    listKnown: ({ baseUrl }) => listKnown(db, baseUrl),
    register: (run, repository, schedule) => db.transaction((tx) => register(tx, run, repository, schedule)),
    noteListing: (run, seen, missing) => db.transaction((tx) => noteListing(tx, run, seen, missing)),
    listRetirable: (discovery) => listRetirable(db, discovery),
    retire: (run, repositoryId, graceHours) =>
      db.transaction((tx) => retire(tx, run, repositoryId, graceHours)),
  };
}

async function find(db: Queryable, discoveryId: string): Promise<Discovery | null> {
  const [row] = await db.query<Discovery>(
    `SELECT ${SELECT_DISCOVERY} FROM discoveries WHERE id = $1 AND deleted_at IS NULL`,
    [uuidOrNull(discoveryId)],
  );
  return row ?? null;
}

async function findRun(db: Queryable, discoveryId: string, runId: string): Promise<DiscoveryRun | null> {
  const [row] = await db.query<DiscoveryRun>(
    `SELECT ${SELECT_RUN} FROM discovery_runs WHERE id = $1 AND discovery_id = $2`,
    [uuidOrNull(runId), uuidOrNull(discoveryId)],
  );
  return row ?? null;
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

/** Its credential is free then; what it registered is nobody's, and so is never retired. */
async function softDelete(tx: Queryable, discoveryId: string): Promise<void> {
  const id = uuidOrNull(discoveryId);
  // Discovery, run, repositories: the order of all who hold several. While this row is held no run is queued.
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

async function namedOnce<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUniqueViolation(error, 'discoveries_name_key')) throw error;
    throw new RepotideError(
      'conflict',
      'discovery_exists',
      `There is a discovery named "${name}". Change that one, or give another name.`,
      { details: { name }, cause: error },
    );
  }
}
