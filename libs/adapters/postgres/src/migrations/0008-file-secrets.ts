import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { refuseDown } from './forward-only.js';

/** Which files hold secrets, and where; never what. */
export class FileSecrets1764201600000 implements MigrationInterface {
  readonly name = 'FileSecrets1764201600000';
  readonly down = refuseDown;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE repository_files
        ADD COLUMN secrets_found integer NOT NULL DEFAULT 0 CHECK (secrets_found >= 0),
        ADD COLUMN secret_detail text;
      CREATE INDEX repository_files_secrets_idx ON repository_files (repository_id, path) WHERE secrets_found > 0`);
  }
}
