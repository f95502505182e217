import { type Queryable } from '../sql/database.js';
import { IS_BUILT } from './progress.js';

/** Whether a live worker is configured for the model of generation `g`. */
const hasBuilder = (silentAfterSeconds: string): string => `EXISTS (
  SELECT 1 FROM pods p WHERE p.model_id = g.model_id AND 'worker' = ANY(p.roles)
    AND p.seen_at > clock_timestamp() - make_interval(secs => ${silentAfterSeconds}))`;

/** The collections whose build belongs to the live workers of another model. */
export const builtByOthers = (modelId: string, silentAfterSeconds: string): string => `
  SELECT g.collection_name FROM index_generations g
    WHERE g.status = 'building' AND g.model_id <> ${modelId} AND ${hasBuilder(silentAfterSeconds)}`;

/** A repository whose sync failed has a pause, because its next one probably fails too. */
const PAUSE = `interval '1 hour'`;

export async function listUnbuilt(db: Queryable, silentAfterSeconds: number): Promise<{ id: string }[]> {
  return db.query<{ id: string }>(
    `SELECT r.id FROM index_generations g
      JOIN repositories r ON r.collection_name = g.collection_name AND r.deleted_at IS NULL
      JOIN index_generations active ON active.collection_name = g.collection_name AND active.status = 'active'
      JOIN repository_indexes a ON a.repository_id = r.id AND a.generation_id = active.id
      LEFT JOIN repository_indexes b ON b.repository_id = r.id AND b.generation_id = g.id
      WHERE g.status = 'building' AND g.requested_at IS NOT NULL AND (${IS_BUILT}) IS NOT TRUE
        AND ${hasBuilder('$1')}
        AND NOT EXISTS (SELECT 1 FROM schedule_execution_logs e
          WHERE e.repository_id = r.id AND e.handler IN ('repository_sync', 'repair')
            AND e.status IN ('failed', 'partial', 'cancelled')
            AND e.completed_at > GREATEST(g.requested_at, clock_timestamp() - ${PAUSE}))
      ORDER BY r.id`,
    [silentAfterSeconds],
  );
}
