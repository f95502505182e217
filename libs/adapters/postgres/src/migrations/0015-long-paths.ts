import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { refuseDown } from './forward-only.js';

/**
 * Paths that are too long for a B-tree: each table that is keyed by paths gets a child that keys its rows by the path's
 * SHA-256 instead. What reads, updates or deletes the parent reaches both, and the order by path is a merge of the
 * parent's index with the child's few rows. The tables of files are not touched, however many millions of rows they
 * have; only the points of the embedded store get another index, some seconds for the 100,000 that it is made for.
 */
export class LongPaths1764806400000 implements MigrationInterface {
  readonly name = 'LongPaths1764806400000';
  readonly down = refuseDown;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const sql of [MANIFEST, EXECUTION_FILES, POINTS]) await queryRunner.query(sql);
  }
}

// Keys and references are not inherited.
const MANIFEST = ['repository_files', 'repository_folders']
  .map(
    (table) => `
  CREATE TABLE ${table}_long (
    path_sha256 bytea NOT NULL,
    PRIMARY KEY (repository_id, generation_id, path_sha256),
    FOREIGN KEY (repository_id) REFERENCES repositories (id),
    FOREIGN KEY (generation_id) REFERENCES index_generations (id)
  ) INHERITS (${table});`,
  )
  .join('');

const EXECUTION_FILES = `
  CREATE TABLE execution_file_errors_long (
    path_sha256 bytea NOT NULL,
    PRIMARY KEY (execution_id, path_sha256),
    FOREIGN KEY (execution_id) REFERENCES schedule_execution_logs (id) ON DELETE CASCADE
  ) INHERITS (execution_file_errors)`;

// The beginning of a path finds its file well enough: the rest is compared in the row.
const POINTS = `
  DROP INDEX vector_points_file_idx;
  CREATE INDEX vector_points_file_idx ON vector_points (collection, repository_id, left(path, 500), id)`;
