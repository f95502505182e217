import { execFile, spawn } from 'node:child_process';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Account } from './account.js';
import { type Binaries } from './binaries.js';
import { type DataPaths } from './data-dir.js';
import { codeOf } from './failures.js';

const execFileAsync = promisify(execFile);
const POLL_MS = 20;
const BROKEN_AFTER_MS = 2_000;
/** Fast shutdown ends sessions and writes a checkpoint; immediate leaves crash recovery to the next start. */
const SHUTDOWN_STEPS: readonly (readonly [NodeJS.Signals, number])[] = [
  ['SIGINT', 20_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 2_000],
];

/** A running server of one cluster. */
export interface Postmaster {
  pid: number;
  port: number;
  /** False while the server is starting or stopping. */
  isReady: boolean;
}

/** The server that runs on the cluster, whichever process started it, or null. */
export async function findPostmaster(clusterDir: string): Promise<Postmaster | null> {
  const lines = await readPidFile(clusterDir);
  const pid = pidOf(lines);
  if (lines === null || pid === null || !(await isPostmaster(pid, clusterDir))) return null;
  return { pid, port: Number(lines[3]), isReady: lines[7]?.trim() === 'ready' };
}

function pidOf(lines: readonly string[] | null): number | null {
  const pid = Number(lines?.[0]);
  return Number.isInteger(pid) && pid > 0 ? pid : null;
}

/**
 * Removes a stale `postmaster.pid` at which PostgreSQL would refuse to start: its pid belongs to another
 * process now, or a power failure left the file empty. PostgreSQL itself replaces a file whose process has
 * ended.
 */
export async function removeStalePidFile(clusterDir: string): Promise<void> {
  const lines = await readPidFile(clusterDir);
  if (lines === null) return;
  const pid = pidOf(lines);
  const isStale =
    pid === null ? await isBroken(clusterDir) : isAlive(pid) && !(await isPostmaster(pid, clusterDir));
  if (isStale) await removePidFile(clusterDir, lines);
}

/** A starting server writes its pid at once, so an old file without a pid is broken. */
async function isBroken(clusterDir: string): Promise<boolean> {
  const pidFile = await stat(join(clusterDir, 'postmaster.pid')).catch(() => null);
  return pidFile !== null && Date.now() - pidFile.mtimeMs > BROKEN_AFTER_MS;
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return codeOf(thrown) === 'EPERM';
  }
}

async function readPidFile(clusterDir: string, name = 'postmaster.pid'): Promise<string[] | null> {
  try {
    return (await readFile(join(clusterDir, name), 'utf8')).split('\n');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return null;
    throw thrown;
  }
}

/**
 * Removal is safe even if the file is not stale: PostgreSQL also refuses a cluster whose shared memory
 * segment still has processes attached.
 */
async function removePidFile(clusterDir: string, expected: readonly string[]): Promise<void> {
  const aside = `postmaster.pid.stale-${process.pid}`;
  try {
    await rename(join(clusterDir, 'postmaster.pid'), join(clusterDir, aside));
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return;
    throw thrown;
  }
  const found = await readPidFile(clusterDir, aside);
  if (found?.[0] === expected[0]) await rm(join(clusterDir, aside), { force: true });
  // A server started between the two reads: the file belongs to it.
  else await rename(join(clusterDir, aside), join(clusterDir, 'postmaster.pid'));
}

/** Checks the command line, which any user may read, unlike a process's working directory. */
async function isPostmaster(pid: number, clusterDir: string): Promise<boolean> {
  if (process.platform === 'linux') {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const [program, ...args] = commandLine.split('\0');
    return basename(program ?? '') === 'postgres' && args[args.indexOf('-D') + 1] === clusterDir;
  }
  const ps = await execFileAsync('ps', ['-ww', '-p', String(pid), '-o', 'command=']).catch(() => null);
  return ps !== null && ps.stdout.includes(`postgres -D ${clusterDir} `);
}

export interface LaunchOptions {
  port: number;
  settings: Readonly<Record<string, string>>;
  timeoutMs: number;
  signal: AbortSignal;
}

/**
 * Starts the server in a separate session (the terminal's Ctrl-C does not reach it) with a log file (a pipe
 * would break when Repotide ends) and waits until it is ready.
 * @returns its pid once it is ready, else the reason; the started process has ended then.
 */
export async function launchPostmaster(
  paths: DataPaths,
  account: Account,
  binaries: Binaries,
  options: LaunchOptions,
): Promise<{ pid: number } | { why: string }> {
  const settings = Object.entries(options.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const {
    file,
    args,
    options: runAs,
  } = account.command(binaries.postgres, ['-D', paths.clusterDir, '-p', String(options.port), ...settings]);
  const log = await open(paths.logFile, 'a', 0o600);
  try {
    // The cluster's owner may run Repotide next time and must be able to write the log then.
    if (account.owner !== null) await log.chown(account.owner.uid, account.owner.gid);
    const child = spawn(file, args, { ...runAs, detached: true, stdio: ['ignore', log.fd, log.fd] });
    child.unref();
    let end: string | null = null;
    child.once('error', (error) => (end = codeOf(error) ?? error.message));
    child.once('exit', (code, signal) => (end = `it ended with ${signal ?? `exit code ${code}`}`));
    const deadline = performance.now() + options.timeoutMs;
    for (;;) {
      if (end !== null) return { why: end };
      const running = await findPostmaster(paths.clusterDir);
      if (running?.isReady && running.pid === child.pid) return { pid: running.pid };
      if (options.signal.aborted || performance.now() > deadline) break;
      await sleep(POLL_MS);
    }
    child.kill('SIGQUIT');
    options.signal.throwIfAborted();
    return { why: `it was not ready after ${Math.round(options.timeoutMs / 1000)} s` };
  } finally {
    await log.close();
  }
}

/** Stops the server; resolves when it has exited, within 27 s (see the steps above). Repeating is harmless. */
export async function shutDownPostmaster(clusterDir: string, pid: number): Promise<void> {
  for (const [signal, patienceMs] of SHUTDOWN_STEPS) {
    if (!(await isPostmaster(pid, clusterDir))) return;
    try {
      process.kill(pid, signal);
    } catch (thrown) {
      if (codeOf(thrown) === 'ESRCH') return;
      throw thrown;
    }
    const deadline = performance.now() + patienceMs;
    while (performance.now() < deadline) {
      if (!(await isPostmaster(pid, clusterDir))) return;
      await sleep(POLL_MS);
    }
  }
}
