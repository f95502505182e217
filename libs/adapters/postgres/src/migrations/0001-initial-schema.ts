import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { ACCESS } from './0001-access.js';
import { AUDIT } from './0001-audit.js';
import { EVENTS, OUTCOMES } from './0001-events.js';
import { EXECUTIONS, MONTHS, SCHEDULES } from './0001-executions.js';
import { HISTORY } from './0001-history.js';
import { GENERATIONS, MANIFEST } from './0001-indexes.js';
import { DECLARATIONS, DISCOVERIES, REPOSITORIES } from './0001-repositories.js';
import { VECTORS } from './0001-vectors.js';

/**
 * The whole schema. Ids are uuids; times are `timestamptz` on the database's clock. Paths compare byte by byte ("C"): the
 * order is the same on every server, and prefixes are index ranges.
 */
export class InitialSchema1766016000000 implements MigrationInterface {
  readonly name = 'InitialSchema1766016000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const sections = [
      ...[ACCESS, AUDIT, DISCOVERIES, REPOSITORIES, DECLARATIONS, GENERATIONS, MANIFEST, VECTORS],
      ...[SCHEDULES, EXECUTIONS, HISTORY, OUTCOMES, EVENTS, MONTHS],
    ];
    for (const sql of sections) await queryRunner.query(sql);
  }

  /** Reverting would drop data that later versions wrote. */
  down(): Promise<void> {
    return Promise.reject(new Error('Repotide migrations are not reverted: restore a backup instead.'));
  }
}
