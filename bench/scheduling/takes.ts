import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectDatabase, type Database, migrate, startEmbeddedPostgres } from '@adapters/postgres';
import { silentLogger } from '../../test/support/silent-logger.js';
import { BARE_QUEUE, type TakeJob, type TakeResult } from './take-job.js';

const CHILD = fileURLToPath(new URL('./take-child.ts', import.meta.url));
const REGISTER = fileURLToPath(new URL('../../test/support/register-typescript.mjs', import.meta.url));
/** WORKER_CONCURRENCY of the service. */
const WORKERS = 5;

interface Measured {
  perSecond: number;
  /** Duration of each take, in ms. */
  times: number[];
}

/** Empties a queue on a new, durable Postgres server. */
export async function measureTakes(options: {
  way: TakeJob['way'];
  processes: number;
  queued: number;
}): Promise<Measured> {
  const { way, processes, queued } = options;
  const dataDir = await mkdtemp(join(tmpdir(), 'repotide-bench-'));
  const server = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  try {
    await migrate({ url: server.url, logger: silentLogger });
    const db = await connectDatabase({ url: server.url, logger: silentLogger });
    await fill(db, queued).finally(() => db.close());
    const children = Array.from({ length: processes }, (_, number) =>
      start({ url: server.url, podName: `pod-${number}`, workers: WORKERS, way }),
    );
    await Promise.all(children.map((child) => once(child, 'message')));
    const began = performance.now();
    const results = await Promise.all(
      children.map(async (child) => {
        child.send('go');
        const [text] = (await once(child, 'message')) as [string];
        return JSON.parse(text) as TakeResult;
      }),
    );
    const seconds = (performance.now() - began) / 1000;
    const times = results.flatMap((result) => result.times);
    if (times.length !== queued) throw new Error(`${times.length} executions were taken, not ${queued}.`);
    return { perSecond: queued / seconds, times };
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

function start(job: TakeJob) {
  const execArgv = ['--no-warnings', '--import', REGISTER];
  return fork(CHILD, [JSON.stringify(job)], { execArgv });
}

async function fill(db: Database, queued: number): Promise<void> {
  await db.query(BARE_QUEUE.create);
  await db.query(BARE_QUEUE.fill, [queued]);
  await db.query(
    `INSERT INTO repositories (provider, base_url, project_id, project_path, branch, collection_name, max_file_bytes,
        chunk_size, chunk_overlap)
      SELECT 'gitlab', 'https://gitlab.example.com', n, 'bench/' || n, 'main', 'bench', 100000, 1000, 100
      FROM generate_series(1, $1::int) AS n`,
    [queued],
  );
  await db.query(
    `INSERT INTO schedule_execution_logs (repository_id, trigger, status, handler)
      SELECT id, 'webhook', 'queued', 'repository_sync' FROM repositories`,
  );
  await db.query('VACUUM ANALYZE');
}
