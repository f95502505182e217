import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectDatabase, type Database } from '@adapters/postgres';
import { type RunReport } from '@core/domain';
import {
  createGitRepository,
  startEmbeddingStandIn,
  startGitLabStandIn,
  type EmbeddingStandIn,
  type GitLabStandIn,
  type GitRepository,
} from '@devkit';
import { createInstallation, type Installation, type Service } from './installation.js';
import { createTestDatabase } from './postgres.js';
import { executionThat, isOver, type ExecutionRow } from './service-resources.js';
import { silentLogger } from './silent-logger.js';

/** The path of the one project. */
export const PROJECT = 'team/app';
/** All tables of an index, and the state that decides about the next sync. */
const INDEX_TABLES = [
  'repositories',
  'repository_indexes',
  'repository_files',
  'repository_folders',
  'index_generations',
  'vector_collections',
  'vector_points',
  'embedding_cache',
] as const;

/** The fields of an execution that these tests read. */
export interface ReportedRow extends ExecutionRow {
  repository_id: string;
  handler: string;
  requested_by: string | null;
  to_commit: string | null;
  full_sync: boolean;
  max_embedding_tokens: number | null;
  retry_of_execution_id: string | null;
  embedding_tokens: number;
  files_processed: number;
  report: RunReport | null;
}

/** One project, and an installation whose database (including the vectors) a test can read and damage. */
export interface IndexWorld {
  readonly git: GitRepository;
  readonly gitlab: GitLabStandIn;
  readonly embedding: EmbeddingStandIn;
  readonly database: Database;
  readonly installation: Installation;
  /** Every row of the index. */
  indexState(): Promise<Record<string, unknown[]>>;
  remove(): Promise<void>;
}

export async function createIndexWorld(env: Record<string, string> = {}): Promise<IndexWorld> {
  const directory = await mkdtemp(join(tmpdir(), 'repotide-index-'));
  const git = await createGitRepository(join(directory, 'git'));
  const [testDatabase, embedding, gitlab] = await Promise.all([
    createTestDatabase(),
    startEmbeddingStandIn(),
    startGitLabStandIn(),
  ]);
  await gitlab.addProject({ path: PROJECT, gitDir: git.directory, defaultBranch: 'main' });
  const database = await connectDatabase({ url: testDatabase.url, poolSize: 2, logger: silentLogger });
  const installation = await createInstallation({
    DATABASE_URL: testDatabase.url,
    GITLAB_URL: gitlab.url,
    GITLAB_TOKEN: gitlab.token,
    EMBEDDING_URL: embedding.url,
    EMBEDDING_DIMENSIONS: '16',
    SCHEDULE_POLL_SECONDS: '1',
    ...env,
  });
  return {
    ...{ git, gitlab, embedding, database, installation },
    async indexState() {
      const states = INDEX_TABLES.map(async (table) => {
        const rows = await database.query<{ row: unknown }>(
          // When and with what result it was verified is not part of the index.
          `SELECT to_jsonb(t) - '{vector,last_verified_at,last_drift}'::text[] AS row FROM ${table} t ORDER BY 1`,
        );
        return [table, rows.map(({ row }) => row)] as const;
      });
      return Object.fromEntries(await Promise.all(states));
    },
    async remove() {
      await installation.remove();
      await Promise.all([gitlab.stop(), embedding.stop(), database.close()]);
      await testDatabase.drop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Starts a run and waits for its end. */
export async function runToItsEnd(service: Service, path: string, body?: object): Promise<ReportedRow> {
  const { execution_id: id } = await service.post<{ execution_id: string }>(path, body);
  return (await executionThat(service, id, isOver)) as ReportedRow;
}
