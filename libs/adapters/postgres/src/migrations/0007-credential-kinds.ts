import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { refuseDown } from './forward-only.js';

/** Credentials know their host and kind, and an OAuth refresh is seen by all pods before it begins. */
export class CredentialKinds1764115200000 implements MigrationInterface {
  readonly name = 'CredentialKinds1764115200000';
  readonly down = refuseDown;

  async up(queryRunner: QueryRunner): Promise<void> {
    // No version before this one wrote a row.
    await queryRunner.query(`
      ALTER TABLE credentials
        ADD COLUMN kind text NOT NULL CHECK (kind IN ('token', 'oauth')),
        ADD COLUMN base_url text NOT NULL,
        -- Of the OAuth access token inside.
        ADD COLUMN expires_at timestamptz,
        -- Grows with each secret: of two that would store one, the second has come too late.
        ADD COLUMN generation integer NOT NULL DEFAULT 1,
        -- Set before the refresh token is sent, as it works once: what is found here after a crash may be used up.
        ADD COLUMN refresh_claim uuid,
        ADD COLUMN refresh_claimed_at timestamptz,
        ADD COLUMN needs_login_since timestamptz,
        ADD COLUMN login_error text,
        ADD CHECK ((refresh_claim IS NULL) = (refresh_claimed_at IS NULL)),
        ADD CHECK (expires_at IS NULL OR kind = 'oauth');
      CREATE INDEX repositories_credential_idx ON repositories (credential_id) WHERE credential_id IS NOT NULL`);
  }
}
