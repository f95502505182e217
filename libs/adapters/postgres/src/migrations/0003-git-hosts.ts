import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Repositories at any git host: they have a URL as their path, and no number of a project. */
export class GitHosts1765065600000 implements MigrationInterface {
  readonly name = 'GitHosts1765065600000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE repositories
        DROP CONSTRAINT repositories_provider_check,
        ADD CONSTRAINT repositories_provider_check CHECK (provider IN ('gitlab', 'git')),
        ALTER COLUMN project_id DROP NOT NULL,
        ADD CONSTRAINT repositories_project_id_check CHECK ((provider = 'gitlab') = (project_id IS NOT NULL));
      CREATE UNIQUE INDEX repositories_git_key ON repositories (project_path, branch)
        WHERE deleted_at IS NULL AND provider = 'git'`);
  }

  /** Reverting would drop data that later versions wrote. */
  down(): Promise<void> {
    return Promise.reject(new Error('Repotide migrations are not reverted: restore a backup instead.'));
  }
}
