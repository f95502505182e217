import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { refuseDown } from './forward-only.js';

/** Who holds which advisory lock, and when its holder was heard last: a lock itself tells neither. */
export class RepositoryLeases1763856000000 implements MigrationInterface {
  readonly name = 'RepositoryLeases1763856000000';
  readonly down = refuseDown;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- Unlogged: a crash of the server ends all advisory locks too, and renewals cost no WAL.
      CREATE UNLOGGED TABLE repository_leases (
        repository_id text PRIMARY KEY,
        -- The two halves of the advisory lock's key, not negative.
        lock_class integer NOT NULL CHECK (lock_class >= 0),
        lock_object integer NOT NULL CHECK (lock_object >= 0),
        pod_name text NOT NULL,
        execution_id text NOT NULL,
        fence bigint NOT NULL,
        -- The session that holds the lock. Without it in pg_locks the row means nothing.
        backend_pid integer NOT NULL,
        renewed_at timestamptz NOT NULL,
        -- Taken away: its holder may not renew it any more.
        broken_at timestamptz
      ) WITH (fillfactor = 50)`);
  }
}
