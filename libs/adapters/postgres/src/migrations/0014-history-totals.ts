import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { CELLS, cellsOf, historyCells } from './0001-runs-and-history.js';

const LEVELS = ['quarter', 'day'];
const TOTALS = cellsOf([{ kind: 'totals', levels: LEVELS, subject: `''`, by: `'', ''` }]);
const SUMS = [
  ...['completed', 'partial', 'failed', 'cancelled', 'missed', 'skipped'],
  ...['files_processed', 'files_failed', 'chunks_upserted', 'chunks_deleted'],
  ...['embeddings_requested', 'embeddings_reused', 'duration_count', 'duration_sum'],
];

/** Sums of all executions over all triggers and pods: with many pods, a month of quarters of an hour is a fraction of the rows. */
export class HistoryTotals1766016000000 implements MigrationInterface {
  readonly name = 'HistoryTotals1766016000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- A merge that runs ends first. A later one waits for this lock before it looks up the cells, and adds totals.
      LOCK TABLE history_sums IN ACCESS EXCLUSIVE MODE;
      ${TOTALS.map(({ name }) => `CREATE TABLE history_${name} PARTITION OF history_sums FOR VALUES IN ('${name}');`).join('\n      ')}
      ${historyCells('history_additions', [...CELLS, ...TOTALS]).replace('CREATE', 'CREATE OR REPLACE')};
      ${LEVELS.map(
        (
          level,
        ) => `INSERT INTO history_sums (cell, bucket_start, trigger, pod_name, subject, ${SUMS.join(', ')}, duration_max)
        SELECT 'totals_${level}', bucket_start, '', '', '', ${SUMS.map((sum) => `sum(${sum})`).join(', ')}, max(duration_max)
        FROM history_sums WHERE cell = 'all_${level}' GROUP BY bucket_start`,
      ).join(';\n      ')}`);
  }

  /** Reverting would drop data that later versions wrote. */
  down(): Promise<void> {
    return Promise.reject(new Error('Repotide migrations are not reverted: restore a backup instead.'));
  }
}
