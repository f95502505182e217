import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { COUNTERS, ENDS, historyCells } from './0001-runs-and-history.js';

const KEY = 'cell, bucket_start, trigger, pod_name, subject';
/** What the sums need to know of an execution. */
const FACTS = [
  ...['queued_at', 'trigger', 'pod_name', 'repository_id', 'status', 'error_code', 'duration_seconds'],
  ...COUNTERS,
];
/** Columns of `history_sums` with their values for the additions of a cell. */
const SUMS = {
  ...Object.fromEntries(ENDS.map((status) => [status, `count(*) FILTER (WHERE status = '${status}')`])),
  ...Object.fromEntries(COUNTERS.map((counter) => [counter, `sum(${counter})`])),
  duration_count: 'count(duration_seconds)',
  duration_sum: 'COALESCE(sum(duration_seconds), 0)',
};

/**
 * The end of an execution adds one row to `history_additions`, where it added seven to fourteen to `history_sums`.
 * `merge_history` adds those rows to the sums.
 */
export class HistoryAdditions1765929600000 implements MigrationInterface {
  readonly name = 'HistoryAdditions1765929600000';

  /**
   * The column `addition` stays for the former version; new rows have 0. That version merges by a `DELETE` of the rows with
   * another number: the trigger on it merges the additions too. Rows of the former version that it did not merge stay, and
   * reads add them up.
   */
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE history_additions (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        queued_at timestamptz NOT NULL, trigger text NOT NULL, pod_name text, repository_id uuid NOT NULL,
        status text NOT NULL, error_code text, duration_seconds double precision,
        ${COUNTERS.map((counter) => `${counter} bigint NOT NULL`).join(', ')}
      );
      DROP FUNCTION history_cells;
      ${historyCells('history_additions')};
      -- Two callers at the same time take different rows. The order of the keys prevents deadlocks.
      CREATE FUNCTION merge_history(most integer) RETURNS bigint LANGUAGE sql AS $$
        WITH taken AS (
          DELETE FROM history_additions WHERE id IN (
            SELECT id FROM history_additions ORDER BY id LIMIT most FOR UPDATE SKIP LOCKED)
          RETURNING *
        ), merged AS (
          INSERT INTO history_sums AS s (${KEY}, ${Object.keys(SUMS).join(', ')}, duration_max)
          SELECT c.*, ${Object.values(SUMS).join(', ')}, max(duration_seconds)
          FROM taken CROSS JOIN LATERAL history_cells(ROW(taken.*)::history_additions) AS c
          GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
          ON CONFLICT (${KEY}, addition) DO UPDATE SET
            ${Object.keys(SUMS)
              .map((column) => `${column} = s.${column} + excluded.${column}`)
              .join(', ')},
            duration_max = GREATEST(s.duration_max, excluded.duration_max)
        ) SELECT count(*) FROM taken
      $$;
      CREATE OR REPLACE FUNCTION execution_ended() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO history_additions (${FACTS.join(', ')})
          VALUES (${FACTS.map((fact) => `NEW.${fact}`).join(', ')});
        -- A sync that failed is not repeated without a request, and one that reached its budget continues at the next tick:
        -- both remove the wish for a check. A completed one has removed it with the pointer, unless the doubt is newer than
        -- its start.
        IF NEW.handler = 'repository_sync' AND (
          NEW.status IN ('failed', 'cancelled') OR NEW.error_code IN ('budget_reached', 'time_budget_reached')) THEN
          UPDATE repository_indexes SET suspect_since = NULL
            WHERE repository_id = NEW.repository_id AND suspect_since IS NOT NULL;
        END IF;
        RETURN NULL;
      END $$;
      CREATE FUNCTION merge_for_former_version() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM merge_history(5000);
        RETURN NULL;
      END $$;
      CREATE TRIGGER history_sums_former_merge BEFORE DELETE ON history_sums
        FOR EACH STATEMENT EXECUTE FUNCTION merge_for_former_version()`);
  }

  /** Reverting would drop data that later versions wrote. */
  down(): Promise<void> {
    return Promise.reject(new Error('Repotide migrations are not reverted: restore a backup instead.'));
  }
}
