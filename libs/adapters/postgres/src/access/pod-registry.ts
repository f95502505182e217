import { type PodRegistry, type SeenPod } from '@core/domain';
import { type Database } from '../sql/database.js';

/** The list of processes, in Postgres, whose clock alone tells who is silent. */
export function createPodRegistry(db: Database): PodRegistry {
  return {
    async showLife({ bootId, podName, roles, version, mode }) {
      await db.query(
        `INSERT INTO pods (boot_id, pod_name, roles, version, mode) VALUES ($1, $2, $3, $4, $5)
          ON CONFLICT (boot_id) DO UPDATE SET seen_at = clock_timestamp()`,
        [bootId, podName, roles, version, mode],
      );
      await db.query(`DELETE FROM pods WHERE seen_at < clock_timestamp() - interval '1 day'`);
    },
    async leave(bootId) {
      await db.query('DELETE FROM pods WHERE boot_id = $1', [bootId]);
    },
    list: () =>
      db.query<SeenPod>(
        `SELECT boot_id AS "bootId", pod_name AS "podName", roles, version, mode, started_at AS "startedAt",
          seen_at AS "seenAt",
          GREATEST(0, EXTRACT(EPOCH FROM clock_timestamp() - seen_at))::float8 AS "secondsSinceSeen"
          FROM pods ORDER BY pod_name, started_at, boot_id`,
      ),
  };
}
