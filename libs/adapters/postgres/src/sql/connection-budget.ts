import { type Logger } from '@core/domain';
import { type Queryable } from './database.js';

/** Beside its pool, each pod has a connection for hints and one for leases without Redis. */
const CONNECTIONS_BESIDE_POOL = 2;

interface Budget {
  /** `max_connections` without those that are reserved for superusers. */
  places: number;
  /** Pods that showed life within a minute, with this one. */
  pods: number;
}

/**
 * Warns when the pools of all pods together exceed what the server accepts. Only a warning: a pooler shares the server's
 * connections among more clients.
 */
export async function checkConnectionBudget(db: Queryable, poolSize: number, logger: Logger): Promise<void> {
  const { places, pods } = await db.one<Budget>(
    `SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS places,
      (SELECT count(*) FROM pods WHERE seen_at > clock_timestamp() - interval '1 minute') + 1 AS pods`,
  );
  const perPod = poolSize + CONNECTIONS_BESIDE_POOL;
  if (pods * perPod <= places) return;
  logger.warn(
    { pods, connections_per_pod: perPod, connections_of_server: places },
    `${pods} pods with up to ${perPod} connections each may need ${pods * perPod}, and Postgres accepts ${places}. Raise ` +
      'its max_connections, lower WORKER_CONCURRENCY or the number of pods, or connect through PgBouncer.',
  );
}
