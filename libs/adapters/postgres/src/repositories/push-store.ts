import { type Execution, type Push, type PushOutcome } from '@core/domain';
import { type Database, type Queryable } from '../sql/database.js';
import { OCCUPIES_REPOSITORY } from '../sql/fence.js';
import { storableMessage } from '../sql/rows.js';

/** GitLab repeats a delivery within minutes; a signed one is refused after five. */
const DELIVERY_LIFE = `interval '1 day'`;

const IS_BUSY = `EXISTS (SELECT FROM schedule_execution_logs e
  WHERE e.repository_id = r.id AND e.completed_at IS NULL AND ${OCCUPIES_REPOSITORY})`;

/**
 * Queues runs for pushes: none is lost, and several pushes share a run. A check whether a repository is busy locks its
 * row, so that no run starts in between: starting writes to that row. Execution rows are only read, so the lock order
 * is kept.
 */
export class PushStore {
  constructor(private readonly db: Database) {}

  /**
   * Ensures a run of each repository with this project and branch, in one transaction.
   * @param deliveryId detects repeated deliveries for a day; null: no detection.
   * @param delaySeconds delay of the run, so that further pushes share it.
   * @returns null when the delivery is a repetition.
   */
  accept(push: Push, deliveryId: string | null, delaySeconds: number): Promise<PushOutcome[] | null> {
    return this.db.transaction(async (tx) => {
      if (deliveryId !== null && !(await isNewDelivery(tx, deliveryId))) return null;
      const outcomes: PushOutcome[] = [];
      for (const repositoryId of await lockMatching(tx, push)) {
        outcomes.push(await ensureRun(tx, repositoryId, delaySeconds));
      }
      return outcomes;
    });
  }

  /**
   * Queues the runs of pushes that came during another run, for repositories that are idle now. Deletes old deliveries.
   * Any number of pods may call it at any time.
   */
  queueFollowUps(): Promise<Execution[]> {
    return this.db.transaction(queueFollowUps);
  }
}

function isNewDelivery(tx: Queryable, deliveryId: string): Promise<boolean> {
  return tx.has(
    'INSERT INTO webhook_deliveries (delivery_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING 1',
    [storableMessage(deliveryId)],
  );
}

/**
 * A project's number is unique only on its host. The host matches by URL or, because pods may use another URL
 * than people, by the project's path.
 */
async function lockMatching(
  tx: Queryable,
  { projectId, projectPath, hostUrls, branch }: Push,
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `SELECT id FROM repositories
      WHERE project_id = $1 AND branch = $2 AND deleted_at IS NULL
        AND (project_path = $3 OR EXISTS (
          SELECT FROM unnest($4::text[]) AS url WHERE starts_with(lower(url) || '/', lower(base_url) || '/')))
      ORDER BY id FOR NO KEY UPDATE`,
    [projectId, storableMessage(branch), storableMessage(projectPath), hostUrls.map(storableMessage)],
  );
  return rows.map(({ id }) => id);
}

async function ensureRun(tx: Queryable, repositoryId: string, delaySeconds: number): Promise<PushOutcome> {
  const live = await tx.query<Pick<Execution, 'status' | 'handler'>>(
    `SELECT status, handler FROM schedule_execution_logs
      WHERE repository_id = $1 AND completed_at IS NULL AND ${OCCUPIES_REPOSITORY}`,
    [repositoryId],
  );
  const waits = live.some(({ status, handler }) => status === 'queued' && handler === 'repository_sync');
  if (waits) return { repositoryId, kind: 'coalesced' };
  if (live.length > 0) {
    await tx.query(
      `UPDATE repositories SET rerun_at = COALESCE(rerun_at, clock_timestamp() + make_interval(secs => $2))
        WHERE id = $1`,
      [repositoryId, delaySeconds],
    );
    return { repositoryId, kind: 'after_current' };
  }
  const execution = await tx.one<Execution>(
    `INSERT INTO schedule_execution_logs AS e (repository_id, trigger, status, available_at)
      VALUES ($1, 'webhook', 'queued', clock_timestamp() + make_interval(secs => $2))
      RETURNING e.*`,
    [repositoryId, delaySeconds],
  );
  return { repositoryId, kind: 'queued', execution };
}

async function queueFollowUps(tx: Queryable): Promise<Execution[]> {
  await tx.query(`DELETE FROM webhook_deliveries WHERE received_at < clock_timestamp() - ${DELIVERY_LIFE}`);
  const locked = await tx.query<{ id: string }>(
    `SELECT id FROM repositories r WHERE rerun_at IS NOT NULL AND deleted_at IS NULL AND NOT ${IS_BUSY}
      ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`,
  );
  if (locked.length === 0) return [];
  // Checked again under the lock, because a run may have been queued during the wait for it.
  return tx.query<Execution>(
    `WITH due AS (
        UPDATE repositories r SET rerun_at = NULL
        FROM (SELECT id, rerun_at FROM repositories WHERE id = ANY($1)) AS former
        WHERE r.id = former.id AND former.rerun_at IS NOT NULL AND NOT ${IS_BUSY}
        RETURNING r.id, former.rerun_at)
      INSERT INTO schedule_execution_logs AS e (repository_id, trigger, status, available_at)
      SELECT id, 'webhook', 'queued', rerun_at FROM due RETURNING e.*`,
    [locked.map(({ id }) => id)],
  );
}
