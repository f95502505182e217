import { randomUUID } from 'node:crypto';
import {
  type Discovery,
  type DiscoveryRun,
  type DiscoveryRunIdentity,
  type DiscoveryStore,
  type NextLook,
  RepotideError,
} from '@core/domain';
import { storableMessage, uuidOrNull } from '../sql/columns.js';
import { clockOf, type Database, type Queryable } from '../sql/database.js';
import { Conditions, selectPage } from '../sql/page.js';
import { bindRequestKey } from '../sql/request-keys.js';
import { SCHEDULING_IS_PAUSED } from '../settings/scheduling-gate.js';
import { discoveryNotFound, noRow, SELECT_DISCOVERY, SELECT_RUN } from './rows.js';

/** A run fails after it has lost its pod this many times; the discovery's next tick starts another. */
const MAX_ATTEMPTS = 3;
/** Ended runs that are kept for each discovery. */
const KEPT_RUNS = 100;
const IS_CURRENT = `id = $1 AND attempt = $2 AND status = 'running'`;

/** The queue of runs, and their history. */
export function discoveryRuns(
  db: Database,
): Pick<
  DiscoveryStore,
  'enqueue' | 'findRun' | 'listRuns' | 'queueDue' | 'claim' | 'heartbeat' | 'finish' | 'handBack' | 'recover'
> {
  return {
    enqueue: (request) => db.transaction((tx) => enqueue(tx, request)),

    async findRun(discoveryId, runId) {
      const [row] = await db.query<DiscoveryRun>(
        `SELECT ${SELECT_RUN} FROM discovery_runs WHERE id = $1 AND discovery_id = $2`,
        [uuidOrNull(runId), uuidOrNull(discoveryId)],
      );
      return row ?? null;
    },

    listRuns(discoveryId, page) {
      const where = new Conditions().add('discovery_id = ?', uuidOrNull(discoveryId));
      const orderBy = 'queued_at DESC, id DESC';
      return selectPage(db, { select: SELECT_RUN, from: 'discovery_runs', where, orderBy }, page);
    },

    async queueDue(next) {
      for (let queued = 0; ; queued += 1) {
        if (!(await db.transaction((tx) => queueOneDue(tx, next)))) return queued;
      }
    },

    claim: (podName) =>
      db.transaction(async (tx) => {
        const [run] = await tx.query<DiscoveryRun>(
          `UPDATE discovery_runs SET status = 'running', attempt = attempt + 1, pod_name = $1,
            started_at = clock_timestamp(), heartbeat_at = clock_timestamp()
            WHERE id = (SELECT id FROM discovery_runs WHERE status = 'queued'
              ORDER BY queued_at, id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING ${SELECT_RUN}`,
          [podName],
        );
        if (run === undefined) return null;
        const select = `SELECT ${SELECT_DISCOVERY} FROM discoveries WHERE id = $1`;
        const [discovery] = await tx.query<Discovery>(select, [run.discoveryId]);
        return { run, discovery: discovery ?? noRow() };
      }),

    heartbeat: (run) => updateCurrent(db, run, 'heartbeat_at = clock_timestamp()'),
    handBack: (run) => updateCurrent(db, run, `status = 'queued'`),

    finish: (run, { status, counts, errorCode, errorMessage }) =>
      db.transaction(async (tx) => {
        await updateCurrent(
          tx,
          run,
          `status = $3, completed_at = clock_timestamp(), error_code = $4, error_message = $5, projects_listed = $6,
            added = $7, kept = $8, restored = $9, missing = $10, retired = $11, skipped = $12, failed = $13`,
          [
            ...[status, errorCode, storableMessage(errorMessage), counts.projectsListed, counts.added],
            ...[counts.kept, counts.restored, counts.missing, counts.retired, counts.skipped, counts.failed],
          ],
        );
        await tx.query(
          `DELETE FROM discovery_runs WHERE id IN (
            SELECT id FROM discovery_runs WHERE discovery_id = $1 AND status NOT IN ('queued', 'running')
            ORDER BY queued_at DESC, id DESC OFFSET ${KEPT_RUNS})`,
          [run.discoveryId],
        );
      }),

    async recover(staleAfterSeconds) {
      const rows = await db.query(
        `UPDATE discovery_runs SET
          status = CASE WHEN attempt >= ${MAX_ATTEMPTS} THEN 'failed' ELSE 'queued' END,
          completed_at = CASE WHEN attempt >= ${MAX_ATTEMPTS} THEN clock_timestamp() END,
          error_code = 'run_interrupted',
          error_message = 'Its pod ' || COALESCE(pod_name, '') || ' stopped responding, ' || attempt || ' time(s).'
          WHERE status = 'running' AND heartbeat_at < clock_timestamp() - make_interval(secs => $1) RETURNING id`,
        [staleAfterSeconds],
      );
      return rows.length;
    },
  };
}

async function enqueue(
  tx: Queryable,
  { discoveryId, force, requestedBy, requestKey }: Parameters<DiscoveryStore['enqueue']>[0],
): Promise<DiscoveryRun> {
  const runId = randomUUID();
  const formerId = requestKey === undefined ? null : await bindRequestKey(tx, requestKey, runId);
  if (formerId !== null) {
    const [former] = await tx.query<DiscoveryRun>(`SELECT ${SELECT_RUN} FROM discovery_runs WHERE id = $1`, [
      formerId,
    ]);
    return former ?? noRow();
  }
  const [discovery] = await tx.query(
    `SELECT 1 FROM discoveries WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE`,
    [uuidOrNull(discoveryId)],
  );
  if (discovery === undefined) return discoveryNotFound(discoveryId);
  const run = await insertRun(tx, { id: runId, discoveryId, trigger: 'manual', force, requestedBy });
  if (run !== null) return run;
  throw new RepotideError(
    'conflict',
    'discovery_running',
    'A run of this discovery is already queued or running; its list of runs shows which. Try again when it has ended.',
    { details: { discovery_id: discoveryId } },
  );
}

/** @returns null when a run of the discovery is queued or running. */
async function insertRun(
  tx: Queryable,
  run: Pick<DiscoveryRun, 'id' | 'discoveryId' | 'trigger' | 'force' | 'requestedBy'>,
): Promise<DiscoveryRun | null> {
  const [row] = await tx.query<DiscoveryRun>(
    `INSERT INTO discovery_runs (id, discovery_id, trigger, status, force, requested_by)
      VALUES ($1, $2, $3, 'queued', $4, $5)
      ON CONFLICT (discovery_id) WHERE status IN ('queued', 'running') DO NOTHING RETURNING ${SELECT_RUN}`,
    [run.id, run.discoveryId, run.trigger, run.force, run.requestedBy],
  );
  return row ?? null;
}

/** A tick during a run starts no second run, because the first one reads everything anyway. */
async function queueOneDue(tx: Queryable, next: NextLook): Promise<boolean> {
  const [due] = await tx.query<Discovery>(
    `SELECT ${SELECT_DISCOVERY} FROM discoveries
      WHERE next_run_at <= clock_timestamp() AND NOT ${SCHEDULING_IS_PAUSED}
      ORDER BY next_run_at, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`,
  );
  if (due === undefined) return false;
  const nextRunAt = next(due, await clockOf(tx));
  await insertRun(tx, {
    id: randomUUID(),
    discoveryId: due.id,
    trigger: 'cron',
    force: false,
    requestedBy: null,
  });
  await tx.query('UPDATE discoveries SET next_run_at = $2 WHERE id = $1', [due.id, nextRunAt]);
  return true;
}

/** Locks the run's row until the transaction ends, so that no other pod takes over the run during a write. */
export async function holdRun(tx: Queryable, run: DiscoveryRunIdentity): Promise<void> {
  const rows = await tx.query(`SELECT 1 FROM discovery_runs WHERE ${IS_CURRENT} FOR SHARE`, [
    run.id,
    run.attempt,
  ]);
  if (rows.length === 0) throw fenceLost(run);
}

/** @param assignments SQL that uses `values` from `$3` on. */
async function updateCurrent(
  db: Queryable,
  run: DiscoveryRunIdentity,
  assignments: string,
  values: readonly unknown[] = [],
): Promise<void> {
  const statement = `UPDATE discovery_runs SET ${assignments} WHERE ${IS_CURRENT} RETURNING id`;
  const rows = await db.query(statement, [run.id, run.attempt, ...values]);
  if (rows.length === 0) throw fenceLost(run);
}

function fenceLost(run: DiscoveryRunIdentity): RepotideError {
  return new RepotideError(
    'fence_lost',
    'fence_lost',
    `Attempt ${run.attempt} of discovery run ${run.id} is not the current one: nothing was written.`,
  );
}
