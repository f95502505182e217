import { type Discovery, type DiscoveryStore, type NewDiscovery } from '@core/domain';
import { clockOf, type Database, type Queryable } from '../sql/database.js';
import { notFound, refuseOldRevision, refusingTwin, type Twin } from '../sql/database-error.js';
import { Conditions, selectPage } from '../sql/page.js';
import { DELETED, editOf, insertInto, pick, uuidOrNull } from '../sql/rows.js';
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
      refusingTwin(twinOf(discovery.name), () =>
        db.transaction(async (tx) => {
          const nextRunAt = discovery.isActive ? await clockOf(tx) : null;
          const { sql, values } = insertInto('discoveries', { ...pick(discovery, GIVEN), nextRunAt });
          return tx.one<Discovery>(`${sql} RETURNING *`, values);
        }),
      ),
    find: (discoveryId) => db.first(FIND, [uuidOrNull(discoveryId)]),
    list(page) {
      const where = new Conditions('deleted_at IS NULL');
      return selectPage(db, { from: 'discoveries', where, orderBy: 'created_at, id' }, page);
    },
    update: (discoveryId, changes, next, expectedRevision) =>
      refusingTwin(twinOf(changes.name), () =>
        db.transaction(async (tx) => {
          const found = await tx.first<Discovery>(`${FIND} FOR NO KEY UPDATE`, [uuidOrNull(discoveryId)]);
          if (found === null) return notFound('discovery', discoveryId);
          refuseOldRevision('discovery', found.revision, expectedRevision);
          const nextRunAt = next({ ...found, ...changes }, await clockOf(tx));
          const { sql, values } = editOf('discoveries', found.id, { ...pick(changes, EDITABLE), nextRunAt });
          return tx.one<Discovery>(`${sql} RETURNING *`, values);
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
  const released = { isActive: false, nextRunAt: null, credentialId: null };
  const { sql, values } = editOf('discoveries', discoveryId, released, [DELETED]);
  await tx.query(sql, values);
  await tx.query(
    'SELECT 1 FROM repositories WHERE discovery_id = $1 AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE',
    id,
  );
  await tx.query(
    'UPDATE repositories SET discovery_id = NULL, missing_since = NULL WHERE discovery_id = $1 AND deleted_at IS NULL',
    id,
  );
}

function twinOf(name = ''): Twin {
  const message = `There is a discovery named "${name}". Change that one, or choose another name.`;
  return { constraint: 'discoveries_name_key', code: 'discovery_exists', message, details: { name } };
}
