import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.js';

const UNPRIVILEGED_UID = 65_534;

export interface PgBouncer {
  /** Connection URL of the same database through the pooler. */
  url: string;
  stop(): Promise<void>;
}

/** The path of PgBouncer; null when it is not installed (Debian: `apt-get install pgbouncer`). */
export function findPgBouncer(): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return folders.map((folder) => join(folder, 'pgbouncer')).find((file) => existsSync(file)) ?? null;
}

/** Starts a PgBouncer on a free port, in front of the given database. */
export async function startPgBouncer(
  binary: string,
  databaseUrl: string,
  settings: Readonly<Record<string, string | number>>,
): Promise<PgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'repotide-pgbouncer-'));
  await chmod(folder, 0o755);
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, configuration(databaseUrl, { ...settings, listen_port: port }));
  // PgBouncer refuses to run as root.
  const user = process.getuid?.() === 0 ? { uid: UNPRIVILEGED_UID, gid: UNPRIVILEGED_UID } : {};
  const child = spawn(binary, [file], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], ...user });
  let said = '';
  child.stderr.on('data', (part: Buffer) => (said += part.toString()));
  const ended = once(child, 'close');
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`pgbouncer did not start: ${said}`);
    await sleep(20);
  }
  return { url: `postgres://anybody@127.0.0.1:${port}/pooled?sslmode=disable`, stop };
}

function configuration(databaseUrl: string, settings: Record<string, string | number>): string {
  const { hostname, port, pathname, username, password } = new URL(databaseUrl);
  const target = [
    `host=${hostname} port=${port || 5432} dbname=${decodeURIComponent(pathname.slice(1))}`,
    `user=${decodeURIComponent(username)} password=${decodeURIComponent(password)}`,
  ].join(' ');
  const own = { listen_addr: '127.0.0.1', auth_type: 'any', unix_socket_dir: '', ...settings };
  const lines = Object.entries(own).map(([name, value]) => `${name} = ${value}`);
  return ['[databases]', `pooled = ${target}`, '[pgbouncer]', ...lines, ''].join('\n');
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => (socket.destroy(), resolve(true)));
    socket.once('error', () => resolve(false));
  });
}
