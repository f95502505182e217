import { type PodRecord, type SeenPod } from '@core/domain';
import { type Database } from '../sql/database.js';

/**
 * The processes of the service, by heartbeats on the database's clock. The reaper reads them too: a process that shows
 * life was not lost.
 */
export class PodRegistry {
  constructor(private readonly db: Database) {}

  /**
   * The heartbeat of a process. Deletes pods that were silent for a day.
   * @param gapSeconds without the heartbeat of any process mean that the database was out of reach.
   */
  async showLife(
    { bootId, podName, roles, version, mode, modelId }: Omit<PodRecord, 'startedAt' | 'seenAt'>,
    gapSeconds = 30,
  ): Promise<void> {
    await this.db.query(
      `UPDATE database_reached SET seen_at = clock_timestamp(), since =
        CASE WHEN seen_at < clock_timestamp() - make_interval(secs => $1) THEN clock_timestamp() ELSE since END`,
      [gapSeconds],
    );
    await this.db.query(
      `INSERT INTO pods (boot_id, pod_name, roles, version, mode, model_id) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (boot_id) DO UPDATE SET seen_at = clock_timestamp(), model_id = EXCLUDED.model_id`,
      [bootId, podName, roles, version, mode, modelId],
    );
    await this.db.query(`DELETE FROM pods WHERE seen_at < clock_timestamp() - interval '1 day'`);
  }

  /** Removes a process that stops. Safe to repeat. */
  async leave(bootId: string): Promise<void> {
    await this.db.query('DELETE FROM pods WHERE boot_id = $1', [bootId]);
  }

  /** Ordered by name, then by start. */
  list(): Promise<SeenPod[]> {
    return this.db.query<SeenPod>(
      `SELECT *, GREATEST(0, EXTRACT(EPOCH FROM clock_timestamp() - seen_at))::float8 AS seconds_since_seen
        FROM pods ORDER BY pod_name, started_at, boot_id`,
    );
  }
}
