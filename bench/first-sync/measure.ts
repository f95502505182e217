import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres } from '@adapters/postgres';
import { startGitLabStandIn, startQdrantDouble, type GitLabStandIn, type QdrantDouble } from '@devkit';
import { createEmbeddedInstallation, type Service } from '../../test/support/installation.js';
import {
  type ExecutionRow,
  executionThat,
  isOver,
  register,
  startSync,
} from '../../test/support/service-resources.js';
import { silentLogger } from '../../test/support/silent-logger.js';
import { DIMENSIONS, type EmbeddingServer, MODEL, startEmbeddingServer } from './embedding-server.js';
import { type Input } from './input.js';
import { type LimitJob, type LimitResult } from './bare-store.js';

const CHILDREN = {
  limit: fileURLToPath(new URL('./limit-child.ts', import.meta.url)),
  langchain: fileURLToPath(new URL('./langchain-child.ts', import.meta.url)),
};
const REGISTER = fileURLToPath(new URL('../../test/support/register-typescript.mjs', import.meta.url));
/** Linux counts CPU time in hundredths of a second, on every architecture that Node.js supports. */
const TICKS_PER_SECOND = 100;
const TIME_LIMIT_MS = 1_800_000;
/** Each look costs the service some milliseconds. The times of a run are those of its row. */
const POLL_MS = 500;

export interface Case {
  store: 'embedded' | 'qdrant';
  way: 'limit' | 'langchain' | 'git' | 'rest';
}

export interface Measured {
  seconds: number;
  /** CPU seconds of the process and its ended children. */
  cpuSeconds: number;
  postgresSeconds: number;
  files: number;
  chunks: number;
  peakMiB: number;
  requests: number;
}

interface SettingOptions {
  input: Input;
  warmUp: Input;
  delayMs: number;
  directory: string;
}

interface Servers {
  gitlab: GitLabStandIn;
  embedding: EmbeddingServer;
  qdrant: QdrantDouble | null;
}

/** Servers and stores of one measurement; all of them are new. */
export class Setting {
  constructor(private readonly options: SettingOptions) {}

  async measure({ store, way }: Case): Promise<Measured> {
    const { input, warmUp, delayMs } = this.options;
    const gitlab = await startGitLabStandIn();
    const embedding = await startEmbeddingServer(delayMs);
    const qdrant = store === 'qdrant' ? await startQdrantDouble() : null;
    try {
      for (const [path, { git }] of [
        ['bench/warm-up', warmUp],
        ['bench/input', input],
      ] as const)
        await gitlab.addProject({ path, gitDir: git.directory, defaultBranch: 'main' });
      const servers = { gitlab, embedding, qdrant };
      if (way === 'git' || way === 'rest') return await measureService(servers, way);
      return await this.#inChild(servers, CHILDREN[way]);
    } finally {
      await qdrant?.close();
      embedding.stop();
      await gitlab.stop();
    }
  }

  async #inChild({ gitlab, embedding, qdrant }: Servers, program: string): Promise<Measured> {
    const dataDir = await mkdtemp(join(this.options.directory, 'limit-'));
    const postgres = qdrant ? null : await startEmbeddedPostgres({ dataDir, logger: silentLogger });
    const cloneUrl = (path: string) => {
      const url = new URL(`${gitlab.url}/${path}.git`);
      Object.assign(url, { username: 'oauth2', password: gitlab.token });
      return url.href;
    };
    const job: LimitJob = {
      repositories: ['bench/warm-up', 'bench/input'].map(cloneUrl),
      embeddingUrl: embedding.url,
      model: MODEL,
      store: qdrant ? { qdrantUrl: qdrant.url } : { databaseUrl: postgres!.url },
      dimensions: DIMENSIONS,
    };
    try {
      const server = await postmasterOf(dataDir);
      const before = await treeCpuOf(server);
      const result = await runChild(program, job);
      const postgresSeconds = (await treeCpuOf(server)) - before;
      return { ...result, postgresSeconds, requests: 2 };
    } finally {
      await postgres?.stop();
      await rm(dataDir, { recursive: true });
    }
  }
}

async function runChild(program: string, job: LimitJob): Promise<LimitResult> {
  const args = ['--no-warnings', '--import', REGISTER, program, JSON.stringify(job)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (part: Buffer) => (output += part.toString()));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`${program} ended with ${code}.`);
  return JSON.parse(output) as LimitResult;
}

async function measureService(
  { gitlab, embedding, qdrant }: Servers,
  way: 'git' | 'rest',
): Promise<Measured> {
  const installation = await createEmbeddedInstallation({
    GITLAB_URL: gitlab.url,
    GITLAB_TOKEN: gitlab.token,
    GITLAB_REQUESTS_PER_MINUTE: '0',
    SOURCE_TRANSPORT: way === 'git' ? 'auto' : 'rest',
    EMBEDDING_URL: embedding.url,
    EMBEDDING_MODEL: MODEL,
    EMBEDDING_DIMENSIONS: String(DIMENSIONS),
    ...(qdrant && { QDRANT_URL: qdrant.url }),
    ...(process.env['BENCH_NODE_OPTIONS'] && { NODE_OPTIONS: process.env['BENCH_NODE_OPTIONS'] }),
  });
  try {
    const service = await installation.serve();
    const server = await installation.databaseServer();
    await syncOnce(service, 'bench/warm-up');
    const before = [await cpuOf(service.command.process.pid!), await treeCpuOf(server)] as const;
    const run = await syncOnce(service, 'bench/input');
    const after = [await cpuOf(service.command.process.pid!), await treeCpuOf(server)] as const;
    const peakMiB = service.command.peakMemoryMiB();
    await service.stop();
    return {
      seconds: (Date.parse(run.completed_at) - Date.parse(run.started_at!)) / 1000,
      cpuSeconds: after[0] - before[0],
      postgresSeconds: after[1] - before[1],
      files: run.files_added,
      chunks: run.chunks_upserted,
      requests: run.source_requests,
      peakMiB,
    };
  } finally {
    await installation.remove();
  }
}

type Run = ExecutionRow & { completed_at: string; source_requests: number };

async function syncOnce(service: Service, path: string): Promise<Run> {
  const id = await startSync(service, await register(service, path));
  const run = await executionThat(service, id, isOver, TIME_LIMIT_MS, POLL_MS);
  if (run.status !== 'completed') throw new Error(`The sync of ${path} ended: ${JSON.stringify(run)}`);
  return run as Run;
}

async function postmasterOf(dataDir: string): Promise<number | null> {
  const file = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => null);
  return file === null ? null : Number(file.split('\n', 1)[0]);
}

/** Includes the ended children. */
async function cpuOf(pid: number): Promise<number> {
  // The command's name, in parentheses, may contain spaces. The times are fields 14 to 17 of the whole line.
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (line === null) return 0;
  const fields = line.replace(/^.*\) /s, '').split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
}

/** Includes the running children. */
async function treeCpuOf(pid: number | null): Promise<number> {
  if (pid === null) return 0;
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const pids = [pid, ...children.split(' ').filter(Boolean).map(Number)];
  const times = await Promise.all(pids.map(cpuOf));
  return times.reduce((sum, seconds) => sum + seconds, 0);
}
