import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** People who signed in with a browser, until they sign out or their session ends. */
export class UserSessions1765497600000 implements MigrationInterface {
  readonly name = 'UserSessions1765497600000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE user_sessions (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        -- SHA-256 of the cookie's value.
        token_hash text NOT NULL UNIQUE,
        -- As the provider named the person and its rights at the sign-in.
        subject text NOT NULL, name text NOT NULL,
        role text NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
        scope text[],
        is_member boolean NOT NULL, gitlab_user_id bigint,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        last_used_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX user_sessions_expires_at_idx ON user_sessions (expires_at);
    `);
  }

  /** Reverting would drop data that later versions wrote. */
  down(): Promise<void> {
    return Promise.reject(new Error('Repotide migrations are not reverted: restore a backup instead.'));
  }
}
