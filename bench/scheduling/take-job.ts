export interface TakeJob {
  url: string;
  podName: string;
  workers: number;
  /** `bare`: the least that a queue in Postgres can do, which is the yardstick. */
  way: 'product' | 'bare';
}

export interface TakeResult {
  /** Duration of each take, in ms. */
  times: number[];
}

/** A table with two columns, one statement for a take and one for the end. */
export const BARE_QUEUE = {
  create: 'CREATE TABLE bare_jobs (id bigint PRIMARY KEY, is_running boolean NOT NULL DEFAULT false)',
  fill: 'INSERT INTO bare_jobs (id) SELECT n FROM generate_series(1, $1::int) AS n',
  take: `UPDATE bare_jobs SET is_running = true WHERE id = (
    SELECT id FROM bare_jobs WHERE NOT is_running ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) RETURNING id`,
  end: 'DELETE FROM bare_jobs WHERE id = $1',
};
