import {
  type Discovery,
  type DiscoveryRunIdentity,
  type DiscoveryStore,
  type KnownRepository,
  type NewRepository,
} from '@core/domain';
import { columnName, columnsOf, selectList } from '../sql/columns.js';
import { type Queryable } from '../sql/database.js';
import { softDelete } from '../repositories/repository-deletion.js';
import { GIVEN } from '../repositories/repository-rows.js';
import { insertSchedule } from '../schedules/schedule-store.js';
import { holdRun } from './discovery-runs.js';

const SELECT_KNOWN = selectList(
  columnsOf<KnownRepository>({
    id: true,
    projectId: true,
    projectPath: true,
    branch: true,
    discoveryId: true,
    missingSince: true,
  }),
);

/** `$1` the discovery, `$2` its grace. */
const IS_RETIRABLE = `discovery_id = $1 AND deleted_at IS NULL
  AND missing_since <= clock_timestamp() - make_interval(hours => $2)`;

export function listKnown(db: Queryable, baseUrl: string): Promise<KnownRepository[]> {
  return db.query<KnownRepository>(
    `SELECT ${SELECT_KNOWN} FROM repositories WHERE base_url = $1 AND deleted_at IS NULL ORDER BY created_at, id`,
    [baseUrl],
  );
}

export async function register(
  tx: Queryable,
  run: DiscoveryRunIdentity,
  repository: NewRepository,
  schedule: Parameters<DiscoveryStore['register']>[2],
): Promise<string | null> {
  await holdRun(tx, run);
  const columns = GIVEN.map(columnName).join(', ');
  const [row] = await tx.query<{ id: string }>(
    `INSERT INTO repositories (${columns}, discovery_id)
      VALUES (${GIVEN.map((_, index) => `$${index + 1}`).join(', ')}, $${GIVEN.length + 1})
      ON CONFLICT (provider, base_url, project_id, branch) WHERE deleted_at IS NULL DO NOTHING RETURNING id`,
    [...GIVEN.map((property) => repository[property]), run.discoveryId],
  );
  if (row === undefined) return null;
  if (schedule !== null) {
    const repositoryId = row.id;
    await insertSchedule(tx, { ...schedule.template, repositoryId, isActive: true }, schedule.next);
  }
  return row.id;
}

export async function noteListing(
  tx: Queryable,
  run: DiscoveryRunIdentity,
  seen: readonly Pick<KnownRepository, 'id' | 'projectPath'>[],
  missing: readonly Pick<KnownRepository, 'id'>[],
): Promise<void> {
  await holdRun(tx, run);
  await holdNoted(tx, run, seen, missing);
  await tx.query(
    `UPDATE repositories r SET missing_since = NULL, project_path = s.project_path, updated_at = clock_timestamp()
      FROM unnest($2::uuid[], $3::text[]) AS s (id, project_path)
      WHERE r.id = s.id AND r.discovery_id = $1 AND r.deleted_at IS NULL
        AND (r.missing_since IS NOT NULL OR r.project_path <> s.project_path)`,
    [run.discoveryId, seen.map(({ id }) => id), seen.map(({ projectPath }) => projectPath)],
  );
  await tx.query(
    `UPDATE repositories SET missing_since = clock_timestamp(), updated_at = clock_timestamp()
      WHERE id = ANY ($2::uuid[]) AND discovery_id = $1 AND deleted_at IS NULL AND missing_since IS NULL`,
    [run.discoveryId, missing.map(({ id }) => id)],
  );
}

/** In the order of ids, as claims take them: two that hold many repositories never wait for each other. */
async function holdNoted(
  tx: Queryable,
  run: DiscoveryRunIdentity,
  seen: readonly Pick<KnownRepository, 'id' | 'projectPath'>[],
  missing: readonly Pick<KnownRepository, 'id'>[],
): Promise<void> {
  await tx.query(
    `SELECT 1 FROM repositories r LEFT JOIN unnest($2::uuid[], $3::text[]) AS s (id, project_path) ON s.id = r.id
      WHERE r.discovery_id = $1 AND r.deleted_at IS NULL
        AND (r.missing_since IS NULL AND r.id = ANY ($4::uuid[])
          OR s.id IS NOT NULL AND (r.missing_since IS NOT NULL OR r.project_path <> s.project_path))
      ORDER BY r.id FOR NO KEY UPDATE OF r`,
    [
      run.discoveryId,
      seen.map(({ id }) => id),
      seen.map(({ projectPath }) => projectPath),
      missing.map(({ id }) => id),
    ],
  );
}

export function listRetirable(
  db: Queryable,
  { id, graceHours }: Pick<Discovery, 'id' | 'graceHours'>,
): Promise<KnownRepository[]> {
  return db.query<KnownRepository>(
    `SELECT ${SELECT_KNOWN} FROM repositories WHERE ${IS_RETIRABLE} ORDER BY missing_since, id`,
    [id, graceHours],
  );
}

/** Only a run of this discovery changes what makes it retirable, and the run is held. */
export async function retire(
  tx: Queryable,
  run: DiscoveryRunIdentity,
  repositoryId: string,
  graceHours: number,
): Promise<boolean> {
  await holdRun(tx, run);
  const rows = await tx.query(`SELECT 1 FROM repositories WHERE ${IS_RETIRABLE} AND id = $3`, [
    run.discoveryId,
    graceHours,
    repositoryId,
  ]);
  if (rows.length === 0) return false;
  await softDelete(tx, repositoryId);
  return true;
}
