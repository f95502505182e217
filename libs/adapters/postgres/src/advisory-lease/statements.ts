/** Notifies holders at once that a lease was broken; a lost message costs one renewal interval. */
export const BROKEN_CHANNEL = 'repotide_lease_broken';

/** A lease is held when its lock is granted to the session that the row names; the row alone proves nothing. */
const HELD_LEASES = `repository_leases l JOIN pg_locks k ON k.locktype = 'advisory' AND k.granted
  AND k.database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND k.classid = l.lock_class::oid AND k.objid = l.lock_object::oid AND k.objsubid = 2
  AND k.pid = l.backend_pid`;

const IS_HOLDER = 'l.repository_id = $1 AND l.pod_name = $2 AND l.execution_id = $3 AND l.fence = $4';

/**
 * $1 repository, $2 pod, $3 execution, $4 fence, $5 and $6 the lock's keys. Returns a row when the lock was
 * free. If the insert fails, the session holds the lock without a row, and the caller must unlock.
 */
export const TAKE = `
  WITH taken AS MATERIALIZED (SELECT pg_try_advisory_lock($5::int, $6::int) AS is_mine)
  INSERT INTO repository_leases (repository_id, pod_name, execution_id, fence, lock_class, lock_object,
      backend_pid, renewed_at)
    SELECT $1::text, $2::text, $3::text, $4::bigint, $5::int, $6::int, pg_backend_pid(), clock_timestamp()
    FROM taken WHERE is_mine
  ON CONFLICT (repository_id) DO UPDATE SET pod_name = excluded.pod_name,
    execution_id = excluded.execution_id, fence = excluded.fence, backend_pid = excluded.backend_pid,
    renewed_at = excluded.renewed_at, broken_at = NULL
  RETURNING repository_id`;

export const UNLOCK = 'SELECT pg_advisory_unlock($1::int, $2::int)';

export const FORGET = `DELETE FROM repository_leases l WHERE ${IS_HOLDER} AND backend_pid = pg_backend_pid()`;

/** $1 repositories, $2 executions, $3 fences, $4 pod. Returns the leases that this session still holds. */
export const RENEW = `
  UPDATE repository_leases l SET renewed_at = clock_timestamp()
  FROM unnest($1::text[], $2::text[], $3::bigint[]) AS mine (repository_id, execution_id, fence)
  WHERE l.repository_id = mine.repository_id AND l.execution_id = mine.execution_id AND l.fence = mine.fence
    AND l.pod_name = $4 AND l.backend_pid = pg_backend_pid() AND l.broken_at IS NULL
  RETURNING l.repository_id`;

/** $1 TTL of a lease in seconds, $2 a repository or null for all. */
export const LIST = `
  SELECT l.repository_id, l.pod_name, l.execution_id, l.fence,
    l.renewed_at + make_interval(secs => $1) AS expires_at
  FROM ${HELD_LEASES} WHERE $2::text IS NULL OR l.repository_id = $2`;

/**
 * $1..$4 the holder, $5 the channel. Returns a row when exactly this holder holds the lock; it can no longer
 * renew it.
 */
export const BREAK = `
  WITH broken AS (
    UPDATE repository_leases SET broken_at = COALESCE(broken_at, clock_timestamp())
    WHERE repository_id = (SELECT l.repository_id FROM ${HELD_LEASES} WHERE ${IS_HOLDER}) AND fence = $4
    RETURNING repository_id)
  SELECT pg_notify($5, repository_id) FROM broken`;

/** $1..$4 the holder. */
export const IS_HELD_BY = `SELECT 1 FROM ${HELD_LEASES} WHERE ${IS_HOLDER}`;

/** How long Postgres waits for the ended session to exit: it takes moments, even when its client hangs. */
const TERMINATION_WAIT_MS = 2_000;

/** $1..$4 the holder. Ends its session, and with it every lock that it holds. */
export const TERMINATE_HOLDER = `SELECT pg_terminate_backend(l.backend_pid, ${TERMINATION_WAIT_MS})
  FROM ${HELD_LEASES} WHERE ${IS_HOLDER}`;

/** $1 repository, $2 TTL of a lease in seconds. Returns the former holder. */
export const TERMINATE_EXPIRED = `
  SELECT l.pod_name, l.execution_id, l.fence,
    pg_terminate_backend(l.backend_pid, ${TERMINATION_WAIT_MS}) AS is_gone
  FROM ${HELD_LEASES}
  WHERE l.repository_id = $1 AND l.renewed_at < clock_timestamp() - make_interval(secs => $2)`;
