import { randomUUID } from 'node:crypto';
import {
  type Discovery,
  type DiscoveryCounts,
  type DiscoveryRun,
  type DiscoveryRunIdentity,
  type DiscoveryStore,
  type NextRunTime,
  RepotideError,
} from '@core/domain';
import { SCHEDULING_IS_PAUSED } from '../settings/scheduling-gate.js';
import { clockOf, type Database, type Queryable } from '../sql/database.js';
import { notFound } from '../sql/database-error.js';
import { Conditions, selectPage } from '../sql/page.js';
import { bindRequestKey } from '../sql/request-keys.js';
import { assignments, insertInto, pick, storableMessage, uuidOrNull } from '../sql/rows.js';

/** A run fails after it has lost its pod this many times; the discovery's next tick starts another. */
const MAX_ATTEMPTS = 3;
/** Ended runs that are kept for each discovery. */
const KEPT_RUNS = 100;
const COUNTS: readonly (keyof DiscoveryCounts)[] = [
  ...(['projectsListed', 'added', 'kept', 'restored', 'missing', 'retired', 'skipped', 'failed'] as const),
];
const IS_CURRENT = `id = $1 AND attempt = $2 AND status = 'running'`;

type RunMethods =
  'enqueue' | 'findRun' | 'listRuns' | 'queueDue' | 'claim' | 'heartbeat' | 'finish' | 'handBack' | 'recover';

/** The queue of runs, and their history. */
export function discoveryRuns(db: Database): Pick<DiscoveryStore, RunMethods> {
  return {
    enqueue: (request) => db.transaction((tx) => enqueue(tx, request)),

    findRun: (discoveryId, runId) =>
      db.first('SELECT * FROM discovery_runs WHERE id = $1 AND discovery_id = $2', [
        uuidOrNull(runId),
        uuidOrNull(discoveryId),
      ]),

    listRuns(discoveryId, page) {
      const where = new Conditions().add('discovery_id = ?', uuidOrNull(discoveryId));
      return selectPage(db, { from: 'discovery_runs', where, orderBy: 'queued_at DESC, id DESC' }, page);
    },

    async queueDue(next) {
      for (let queued = 0; ; queued += 1) {
        if (!(await db.transaction((tx) => queueOneDue(tx, next)))) return queued;
      }
    },

    claim: (podName) =>
      db.transaction(async (tx) => {
        const run = await tx.first<DiscoveryRun>(
          `UPDATE discovery_runs SET status = 'running', attempt = attempt + 1, pod_name = $1,
            started_at = clock_timestamp(), heartbeat_at = clock_timestamp()
            WHERE id = (SELECT id FROM discovery_runs WHERE status = 'queued'
              ORDER BY queued_at, id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING *`,
          [podName],
        );
        if (run === null) return null;
        const select = 'SELECT * FROM discoveries WHERE id = $1';
        return { run, discovery: await tx.one<Discovery>(select, [run.discoveryId]) };
      }),

    heartbeat: (run) => updateCurrent(db, run, 'heartbeat_at = clock_timestamp()'),
    handBack: (run) => updateCurrent(db, run, `status = 'queued'`),

    finish: (run, { status, counts, errorCode, errorMessage }) =>
      db.transaction(async (tx) => {
        const end = {
          ...pick(counts, COUNTS),
          status,
          errorCode,
          errorMessage: storableMessage(errorMessage),
        };
        const { sql, values } = assignments(end, 3);
        await updateCurrent(tx, run, `completed_at = clock_timestamp(), ${sql}`, values);
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
  const id = randomUUID();
  const formerId = requestKey === undefined ? null : await bindRequestKey(tx, requestKey, id);
  if (formerId !== null) return tx.one('SELECT * FROM discovery_runs WHERE id = $1', [formerId]);
  const discovery = await tx.first(
    'SELECT 1 FROM discoveries WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE',
    [uuidOrNull(discoveryId)],
  );
  if (discovery === null) return notFound('discovery', discoveryId);
  const run = await insertRun(tx, { id, discoveryId, trigger: 'manual', force, requestedBy });
  if (run !== null) return run;
  const message =
    'A run of this discovery is already queued or running; its list of runs shows which. Try again when it has ended.';
  const details = { discovery_id: discoveryId };
  throw new RepotideError('conflict', 'discovery_running', message, { details });
}

/** @returns null when a run of the discovery is queued or running. */
function insertRun(
  tx: Queryable,
  run: Pick<DiscoveryRun, 'discoveryId' | 'trigger'> & Partial<DiscoveryRun>,
): Promise<DiscoveryRun | null> {
  const { sql, values } = insertInto('discovery_runs', { ...run, status: 'queued' });
  const onConflict = `ON CONFLICT (discovery_id) WHERE status IN ('queued', 'running') DO NOTHING`;
  return tx.first(`${sql} ${onConflict} RETURNING *`, values);
}

/** A tick during a run starts no second run, because the first one reads everything anyway. */
async function queueOneDue(tx: Queryable, next: NextRunTime): Promise<boolean> {
  const due = await tx.first<Discovery>(
    `SELECT * FROM discoveries
      WHERE next_run_at <= clock_timestamp() AND NOT ${SCHEDULING_IS_PAUSED}
      ORDER BY next_run_at, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`,
  );
  if (due === null) return false;
  const nextRunAt = next(due, await clockOf(tx));
  await insertRun(tx, { discoveryId: due.id, trigger: 'cron' });
  await tx.query('UPDATE discoveries SET next_run_at = $2 WHERE id = $1', [due.id, nextRunAt]);
  return true;
}

/** Locks the run's row until the transaction ends, so that no other pod takes over the run during a write. */
export async function holdRun(tx: Queryable, run: DiscoveryRunIdentity): Promise<void> {
  const held = `SELECT 1 FROM discovery_runs WHERE ${IS_CURRENT} FOR SHARE`;
  if ((await tx.first(held, [run.id, run.attempt])) === null) throw fenceLost(run);
}

/** @param set SQL that uses `values` from `$3` on. */
async function updateCurrent(
  db: Queryable,
  run: DiscoveryRunIdentity,
  set: string,
  values: readonly unknown[] = [],
): Promise<void> {
  const statement = `UPDATE discovery_runs SET ${set} WHERE ${IS_CURRENT} RETURNING id`;
  if ((await db.first(statement, [run.id, run.attempt, ...values])) === null) throw fenceLost(run);
}

function fenceLost(run: DiscoveryRunIdentity): RepotideError {
  const message = `Attempt ${run.attempt} of discovery run ${run.id} is not the current one: nothing was written.`;
  return new RepotideError('fence_lost', 'fence_lost', message);
}
