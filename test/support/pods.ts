import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createGitRepository,
  type EmbeddingStandIn,
  type GitLabStandIn,
  type QdrantDouble,
  startEmbeddingStandIn,
  startGitLabStandIn,
  startQdrantDouble,
} from '@devkit';
import { createInstallation, type Installation, type Service } from './installation.js';
import { createTestDatabase } from './postgres.js';
import { startTestRedis, type TestRedis } from './redis.js';

/** The path of the one project that the pods can read. */
export const PROJECT = 'team/app';
const TOKEN = 'admin-token-of-the-pods';
/** Bytes per step of a slow answer: more than a file's vectors. */
const DRIP_BYTES = 262_144;
/** Chunks per file, chosen so that a batch of the store has a few files and the progress of a run is visible. */
const CHUNKS_OF_FILE = 16;
const CHUNK_SIZE = 100;

/** One of several server processes. */
export interface PodService extends Service {
  readonly token: string;
}

/** Pods that share Redis, Postgres, Qdrant, GitLab and an embedding server. */
export interface PodWorld {
  readonly gitlab: GitLabStandIn;
  readonly embedding: EmbeddingStandIn;
  readonly qdrant: QdrantDouble;
  readonly redis: TestRedis;
  readonly databaseUrl: string;
  readonly installation: Installation;
  /** Changes all files of the project, and commits. */
  write(words: string): Promise<void>;
  /** Sets the approximate duration of the embeddings of each file; 0: no delay. */
  slowDown(milliseconds: number): void;
  start(podName: string, env?: Record<string, string>): Promise<PodService>;
  remove(): Promise<void>;
}

/** @param files number of files in the project. */
export async function createPodWorld(files: number): Promise<PodWorld> {
  const directory = await mkdtemp(join(tmpdir(), 'repotide-pods-'));
  const git = await createGitRepository(join(directory, 'git'));
  const write = async (words: string): Promise<void> => {
    for (let number = 0; number < files; number++)
      git.write(`src/file-${number}.ts`, fileText(number, words));
    await git.commit(words);
  };
  await write('first words');
  const [database, redis, embedding, qdrant, gitlab] = await Promise.all([
    createTestDatabase(),
    startTestRedis(),
    startEmbeddingStandIn(),
    startQdrantDouble(),
    startGitLabStandIn(),
  ]);
  await gitlab.addProject({ path: PROJECT, gitDir: git.directory, defaultBranch: 'main' });
  const installation = await createInstallation({
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    QDRANT_URL: qdrant.url,
    GITLAB_URL: gitlab.url,
    GITLAB_TOKEN: gitlab.token,
    EMBEDDING_URL: embedding.url,
    EMBEDDING_DIMENSIONS: '16',
    EMBEDDING_BATCH_SIZE: String(CHUNKS_OF_FILE),
    EMBEDDING_CONCURRENCY: '1',
    REPOTIDE_ADMIN_TOKEN: TOKEN,
    CHUNK_SIZE: String(CHUNK_SIZE),
    CHUNK_OVERLAP: '0',
  });
  return {
    ...{ write, gitlab, embedding, qdrant, redis, installation, databaseUrl: database.url },
    slowDown(everyMs) {
      embedding.faults.clear();
      if (everyMs === 0) return;
      embedding.faults.add({ method: 'POST', effect: { kind: 'drip', chunkBytes: DRIP_BYTES, everyMs } });
    },
    async start(podName, env = {}) {
      const service = await installation.serve({ POD_NAME: podName, REPOTIDE_ADMIN_TOKEN: TOKEN, ...env });
      return { ...service, token: TOKEN };
    },
    async remove() {
      await installation.remove();
      await Promise.all([gitlab.stop(), embedding.stop(), qdrant.close(), redis.stop()]);
      await database.drop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function fileText(number: number, words: string): string {
  const line = (index: number): string =>
    `export const value${index} = '${words} of ${number}';`.padEnd(CHUNK_SIZE - 1, '/');
  return `${Array.from({ length: CHUNKS_OF_FILE }, (_, index) => line(index)).join('\n')}\n`;
}
