import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import { type StartRenewalThread } from '@adapters/redis';
import { Redis } from 'ioredis';
import { freePort } from './free-port.js';
import { REDIS_MISSING } from './redis-install.js';

/** A real redis-server on a free port of this machine, with its own data. */
export interface TestRedis {
  readonly url: string;
  readonly port: number;
  /** Stops the process with SIGSTOP, as a failing disk or hypervisor would: connections stay open, requests get no answer. */
  freeze(): void;
  thaw(): void;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again on the same port after {@link TestRedis.kill}. */
  start(memory?: 'kept' | 'empty'): Promise<void>;
  /** Kills it and removes its data. Repeating is harmless. */
  stop(): Promise<void>;
}

/** A server and a key prefix that no other test uses. */
export interface TestRedisSpace {
  url: string;
  keyPrefix: string;
  release(): Promise<void>;
}

const PORT_TRIES = 5;

/** @param args more command line options, e.g. `--maxmemory-policy allkeys-lru`; later ones win. */
export async function startTestRedis(...args: string[]): Promise<TestRedis> {
  const dir = await mkdtemp(join(tmpdir(), 'repotide-redis-'));
  for (let tries = 1; ; tries++) {
    const port = await freePort();
    const server = new ServerProcess(dir, port, args);
    try {
      await server.start('kept');
      return server;
    } catch (error) {
      // Another process may have taken the port in between.
      if (tries < PORT_TRIES && !String(error).includes(REDIS_MISSING)) continue;
      await rm(dir, { recursive: true, force: true });
      throw error;
    }
  }
}

/**
 * A Sentinel that watches the primary named `main` on this port of 127.0.0.1, and replaces it a second after it is lost when
 * two Sentinels agree.
 */
export async function startTestSentinel(primaryPort: number): Promise<TestRedis> {
  const dir = await mkdtemp(join(tmpdir(), 'repotide-sentinel-'));
  const sentinel = new SentinelProcess(dir, await freePort(), primaryPort);
  await sentinel.start();
  return sentinel;
}

/** For tests that do not disturb the server: the one of `TEST_REDIS_URL`, else a new one. */
export async function openTestRedis(): Promise<TestRedisSpace> {
  const keyPrefix = `test-${randomBytes(6).toString('hex')}`;
  const givenUrl = process.env.TEST_REDIS_URL;
  if (!givenUrl) {
    const server = await startTestRedis();
    return { url: server.url, keyPrefix, release: () => server.stop() };
  }
  return { url: givenUrl, keyPrefix, release: () => removeKeys(givenUrl, keyPrefix) };
}

/** Runs `work` with a plain client, to inspect the data independently of the code under test. */
export async function withRedis<T>(url: string, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { lazyConnect: true });
  await client.connect();
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}

/** Jest transforms TypeScript for tests but not for threads; those get the loader of the child processes. */
export const startRenewalThreadFromSource: StartRenewalThread = (workerData) =>
  new Worker(new URL('../../libs/adapters/redis/src/lease/renewal-thread.ts', import.meta.url), {
    workerData,
    execArgv: ['--no-warnings', '--import', new URL('./register-typescript.mjs', import.meta.url).href],
  });

/** Those that begin with the prefix and a colon. */
export async function removeKeys(url: string, keyPrefix: string): Promise<void> {
  await withRedis(url, async (client) => {
    for await (const keys of client.scanStream({ match: `${keyPrefix}:*`, count: 500 })) {
      if ((keys as string[]).length > 0) await client.unlink(...(keys as string[]));
    }
  });
}

/** A shell starts the server; it kills the server and removes its data when this process ends for any reason. */
const GUARD =
  'redis-server "$@" & echo "pid $!"; exec >/dev/null 2>&1; read data; kill -9 $!; wait; [ "$data" = kept ] || rm -rf "$0"';

class ServerProcess implements TestRedis {
  readonly url: string;
  private guard: ChildProcess | null = null;
  private pid = 0;

  constructor(
    protected readonly dir: string,
    readonly port: number,
    private readonly args: readonly string[],
  ) {
    this.url = `redis://127.0.0.1:${port}`;
  }

  async start(memory: 'kept' | 'empty' = 'kept'): Promise<void> {
    if (memory === 'empty') await rm(this.dir, { recursive: true, force: true });
    await mkdir(this.dir, { recursive: true });
    this.guard = spawn('sh', ['-c', GUARD, this.dir, ...(await this.settings())], {
      stdio: 'pipe',
      detached: true,
    });
    await this.ready(this.guard);
  }

  protected async settings(): Promise<string[]> {
    const address = ['--port', String(this.port), '--bind', '127.0.0.1'];
    const persistence = ['--dir', this.dir, '--appendonly', 'yes', '--save', ''];
    return [...address, ...persistence, '--enable-debug-command', 'local', ...this.args];
  }

  freeze(): void {
    process.kill(this.pid, 'SIGSTOP');
  }

  thaw(): void {
    process.kill(this.pid, 'SIGCONT');
  }

  async kill(): Promise<void> {
    if (!this.guard) return;
    const { guard } = this;
    this.guard = null;
    guard.stdin?.end('kept\n');
    if (guard.exitCode === null) await once(guard, 'close');
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.dir, { recursive: true, force: true });
  }

  private async ready({ stdout, stderr }: ChildProcess): Promise<void> {
    const said: string[] = [];
    if (!stdout || !stderr) throw new Error('no output');
    createInterface({ input: stderr }).on('line', (line) => said.push(line));
    for await (const line of createInterface({ input: stdout })) {
      said.push(line);
      this.pid = /^pid (\d+)$/.test(line) ? Number(line.slice(4)) : this.pid;
      if (/Ready to accept connections|Sentinel ID is/.test(line)) {
        stdout.resume();
        return;
      }
      if (line.includes('Failed listening')) break;
    }
    await this.kill();
    const reason = said.join('\n');
    throw new Error(reason.includes('not found') ? REDIS_MISSING : `redis-server did not start: ${reason}`);
  }
}

class SentinelProcess extends ServerProcess {
  constructor(
    dir: string,
    port: number,
    private readonly primaryPort: number,
  ) {
    super(dir, port, []);
  }

  /** A Sentinel keeps its state in the file. */
  protected override async settings(): Promise<string[]> {
    const file = join(this.dir, 'sentinel.conf');
    const lines = [
      ...[`port ${this.port}`, 'bind 127.0.0.1', `dir ${this.dir}`],
      `sentinel monitor main 127.0.0.1 ${this.primaryPort} 2`,
      ...['sentinel down-after-milliseconds main 1000', 'sentinel failover-timeout main 4000'],
    ];
    await writeFile(file, `${lines.join('\n')}\n`);
    return [file, '--sentinel'];
  }
}
