import { execFileSync } from 'node:child_process';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@adapters/postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSource, type SourceProcess } from '../../support/child-process.js';
import { onServer } from '../../support/postgres-url.js';
import { silentLogger } from '../../support/silent-logger.js';

const CHILD = fileURLToPath(new URL('../../support/embedded-postgres-child.ts', import.meta.url));
const UNPRIVILEGED_UID = 65534;
const isRoot = process.getuid?.() === 0;

/** A data directory with a cluster, created once because that takes a second. */
let made: string;
let base: string;
let dataDir: string;
let servers: EmbeddedPostgres[];
let children: SourceProcess[];

beforeAll(async () => {
  made = await mkdtemp(join(tmpdir(), 'repotide-embedded-'));
  await chmod(made, 0o755);
  const server = await startEmbeddedPostgres({
    dataDir: join(made, 'data'),
    logger: silentLogger,
    isDurable: false,
  });
  await server.stop();
});
afterAll(() => rm(made, { recursive: true, force: true }));

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'repotide-embedded-'));
  await chmod(base, 0o755);
  dataDir = join(base, 'data');
  servers = [];
  children = [];
});

afterEach(async () => {
  for (const child of children) child.process.kill('SIGKILL');
  await Promise.all(children.map((child) => child.ended));
  await Promise.all(servers.map((server) => server.stop()));
  const orphan = await postmasterPid().catch(() => null);
  if (orphan !== null && orphan !== process.pid && isAlive(orphan)) process.kill(orphan, 'SIGQUIT');
  await rm(base, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
});

function copyMade(): void {
  execFileSync('cp', ['-a', join(made, 'data'), dataDir]);
}

async function start(): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, logger: silentLogger, isDurable: false });
  servers.push(server);
  return server;
}

function startChild(ending: string, options: Parameters<typeof spawnSource>[2] = {}): SourceProcess {
  const child = spawnSource(CHILD, [dataDir, ending], options);
  children.push(child);
  return child;
}

async function postmasterPid(): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await sleep(20);
}

function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  return onServer(url, async (client) => (await client.query<Record<string, unknown>>(sql)).rows);
}

describe('an embedded server', () => {
  it('keeps its data over a restart and leaves only its files', async () => {
    const first = await start();
    await ask(first.url, "CREATE TABLE kept AS SELECT 'grün'::text AS word");
    const pid = await postmasterPid();
    await first.stop();
    await first.stop();
    await until(() => !isAlive(pid));
    expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.log']);

    const second = await start();
    expect(await ask(second.url, 'SELECT upper(word) AS word FROM kept')).toEqual([{ word: 'GRÜN' }]);
  });

  it('requires a password that only the owner of the directory can read', async () => {
    copyMade();
    const { url } = await start();
    const wrong = new URL(url);
    wrong.password = 'wrong';
    await expect(ask(wrong.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    const file = await stat(join(dataDir, 'postgres', 'repotide.password'));
    expect(file.mode & 0o777).toBe(0o600);
  });

  it('writes neither statements nor values to its log', async () => {
    copyMade();
    const { url } = await start();
    await ask(url, 'CREATE TABLE secrets (word text PRIMARY KEY)');
    const insert = "INSERT INTO secrets VALUES ('hush-4711')";
    await ask(url, insert);
    await expect(ask(url, insert)).rejects.toMatchObject({ code: '23505' });
    const log = await readFile(join(dataDir, 'postgres.log'), 'utf8');
    expect(log).toContain('duplicate key');
    expect(log).not.toContain('hush-4711');
  });

  it('does not inherit the environment, which holds secrets', async () => {
    copyMade();
    const child = startChild('hold', { env: { GITLAB_TOKEN: 'glpat-hush-4711' } });
    await child.next('ready');
    const environment = await readFile(`/proc/${await postmasterPid()}/environ`, 'utf8');
    expect(environment).toContain('LC_ALL=C');
    expect(environment).not.toContain('hush-4711');
  });

  it('restarts at the same address when it is killed', async () => {
    copyMade();
    const { url } = await start();
    const killed = await postmasterPid();
    process.kill(killed, 'SIGKILL');
    await until(async () => (await ask(url, 'SELECT 1').catch(() => [])).length === 1);
    expect(await postmasterPid()).not.toBe(killed);
  });

  it('survives a terminal signal until Repotide has drained', async () => {
    copyMade();
    const child = startChild('drain');
    await child.next('ready');
    process.kill(-child.process.pid!, 'SIGINT');
    await child.next('drained');
    await child.next('stopped');
    expect(await child.ended).toBe(0);
  });

  it.each(['exit', 'end'])('is stopped when its process ends without stopping it (%s)', async (ending) => {
    copyMade();
    const child = startChild(ending);
    await child.next('ready');
    expect(await child.ended).toBe(0);
    await until(async () => !(await readdir(join(dataDir, 'postgres'))).includes('postmaster.pid'));
  });
});

describe('one data directory', () => {
  it('is refused to a second process, and the error names the holder', async () => {
    copyMade();
    await start();
    const child = startChild('stop');
    expect(await child.next('failed')).toMatchObject({
      kind: 'conflict',
      code: 'data_dir_in_use',
      message: expect.stringMatching(new RegExp(`${dataDir}.*pid ${process.pid}\\b`)),
    });
    await expect(start()).rejects.toMatchObject({ code: 'data_dir_in_use', details: { pid: process.pid } });
  });

  it('is taken over, with its running server, when the first process was killed', async () => {
    copyMade();
    const child = startChild('hold');
    const { url } = await child.next<{ url: string }>('ready');
    await ask(url, 'CREATE TABLE kept ()');
    const pid = await postmasterPid();
    child.process.kill('SIGKILL');
    await child.ended;
    const successor = await start();
    expect(await postmasterPid()).toBe(pid);
    expect(await ask(successor.url, 'SELECT count(*)::int AS n FROM kept')).toEqual([{ n: 0 }]);
  });

  it('is opened by exactly one of several processes that start at once on an empty directory', async () => {
    const racers = [1, 2, 3].map(() => startChild('hold'));
    const outcomes = await Promise.all(
      racers.map(async (racer) =>
        racer.next('ready').then(
          () => 'ready',
          (error: Error) => error.message,
        ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'ready')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome.includes('data_dir_in_use'))).toHaveLength(2);
  });

  it('can be opened while its holder stops', async () => {
    copyMade();
    for (let round = 0; round < 2; round += 1) {
      const outcomes = await Promise.all(
        [1, 2].map(async () => {
          const child = startChild('stop');
          await child.ended;
          return child.next('stopped').then(
            () => 'stopped',
            (error: Error) => (error.message.includes('data_dir_in_use') ? 'refused' : error.message),
          );
        }),
      );
      expect(outcomes).toContain('stopped');
      expect(['stopped', 'refused']).toEqual(expect.arrayContaining(outcomes));
    }
  });

  it('has no partial cluster after a kill during its creation', async () => {
    const child = startChild('hold');
    await until(async () =>
      (await readdir(dataDir).catch(() => [])).some((name) => name.startsWith('.postgres-init-')),
    );
    child.process.kill('SIGKILL');
    await child.ended;
    expect(await readdir(dataDir)).not.toContain('postgres');
    const { url } = await start();
    expect(await ask(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await until(async () => !(await readdir(dataDir)).some((name) => name.startsWith('.postgres-init-')));
  });
});

describe('a stale postmaster.pid', () => {
  async function leaveStale(content: string): Promise<void> {
    copyMade();
    const cluster = join(dataDir, 'postgres');
    const file = join(cluster, 'postmaster.pid');
    await writeFile(file, content);
    const { uid, gid } = await stat(cluster);
    await chown(file, uid, gid);
    await utimes(file, 0, 0);
  }

  it('is ignored when its pid belongs to another program', async () => {
    await leaveStale(`${process.pid}\n${join(dataDir, 'postgres')}\n1\n54321\n\n127.0.0.1\n\nready   \n`);
    const { url } = await start();
    expect(await ask(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('is ignored when a power failure left it empty', async () => {
    await leaveStale('');
    const { url } = await start();
    expect(await ask(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

describe('a data directory shared between hosts', () => {
  /** Leaves the files of another container. Its pid is not visible here, so it may be that of another program. */
  async function leaveOtherHost(): Promise<string> {
    copyMade();
    const cluster = join(dataDir, 'postgres');
    await writeFile(join(cluster, 'postmaster.pid'), `${process.pid}\n${cluster}\n`);
    await writeFile(join(cluster, 'repotide.host'), 'other-host');
    return cluster;
  }

  it('is refused while the other host updates its file, and the lock file stays', async () => {
    const cluster = await leaveOtherHost();
    const signs = setInterval(() => void utimes(join(cluster, 'repotide.host'), new Date(), new Date()), 300);
    try {
      await expect(start()).rejects.toMatchObject({
        code: 'data_dir_in_use',
        details: { host: 'other-host', data_dir: dataDir },
      });
    } finally {
      clearInterval(signs);
    }
    expect(await postmasterPid()).toBe(process.pid);
    await rm(join(cluster, 'postmaster.pid'));
  });

  it('is taken over from a host that stopped updating its file', async () => {
    await leaveOtherHost();
    const { url } = await start();
    expect(await ask(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await readFile(join(dataDir, 'postgres', 'repotide.host'), 'utf8')).not.toBe('other-host');
  });
});

describe('an unusable data directory', () => {
  it('is named together with the setting when it cannot be created', async () => {
    await writeFile(join(base, 'file'), '');
    dataDir = join(base, 'file', 'data');
    await expect(start()).rejects.toMatchObject({
      kind: 'invalid',
      code: 'data_dir_not_writable',
      message: expect.stringContaining('REPOTIDE_DATA_DIR'),
      details: { data_dir: dataDir },
    });
  });

  it('is refused when another major version created it', async () => {
    await mkdir(join(dataDir, 'postgres'), { recursive: true });
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '12\n');
    await expect(start()).rejects.toMatchObject({
      code: 'data_dir_version_mismatch',
      details: { found: '12', expected: '18' },
    });
  });

  it('is refused when the path contains other files', async () => {
    await mkdir(join(dataDir, 'postgres'), { recursive: true });
    await writeFile(join(dataDir, 'postgres', 'notes.txt'), 'mine');
    await expect(start()).rejects.toMatchObject({ code: 'data_dir_not_a_cluster' });
    expect(await readdir(join(dataDir, 'postgres'))).toEqual(['notes.txt']);
    expect(await readdir(dataDir)).toEqual(['postgres']);
  });
});

(isRoot && isReadableBy(UNPRIVILEGED_UID, CHILD) ? describe : describe.skip)(
  'as root, in a clone readable by others',
  () => {
    it('runs the server as another user', async () => {
      await start();
      const { uid } = await stat(join(dataDir, 'postgres'));
      expect(uid).not.toBe(0);
      expect((await stat(`/proc/${await postmasterPid()}`)).uid).toBe(uid);
    });

    it('keeps the owner of a cluster, who can use it without root afterwards', async () => {
      await chown(base, UNPRIVILEGED_UID, UNPRIVILEGED_UID);
      await (await start()).stop();
      expect((await stat(join(dataDir, 'postgres'))).uid).toBe(UNPRIVILEGED_UID);
      await chown(dataDir, UNPRIVILEGED_UID, UNPRIVILEGED_UID);
      const child = startChild('stop', { uid: UNPRIVILEGED_UID, gid: UNPRIVILEGED_UID });
      await child.next('stopped');
    });
  },
);

(isRoot ? describe : describe.skip)('as root, in any clone', () => {
  it('runs the server below a directory closed to others, and again after it was opened', async () => {
    await chmod(base, 0o700);
    const closed = await start();
    await ask(closed.url, 'CREATE TABLE kept ()');
    await closed.stop();
    await chmod(base, 0o755);
    const open = await start();
    expect(await ask(open.url, 'SELECT count(*)::int AS n FROM kept')).toEqual([{ n: 0 }]);
  });
});

function isReadableBy(uid: number, path: string): boolean {
  try {
    execFileSync('/bin/sh', ['-c', 'test -r "$1"', 'sh', path], { uid, gid: uid });
    return true;
  } catch {
    return false;
  }
}
