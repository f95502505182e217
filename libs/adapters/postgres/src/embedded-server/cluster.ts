import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  lchown,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Account } from './account.js';
import { type Binaries } from './binaries.js';
import { type DataPaths, SUPERUSER } from './data-dir.js';
import { codeOf, notACluster, requireRoom, startFailed, versionMismatch } from './failures.js';
import { isAlive } from './postmaster.js';

const execFileAsync = promisify(execFile);
/** A new cluster takes 40 MB; its first use needs some more. */
const NEW_CLUSTER_BYTES = 100 * 1024 * 1024;
/** With less free space even an existing cluster cannot start. */
export const WAL_SEGMENT_BYTES = 16 * 1024 * 1024;
const INITDB_TIMEOUT_MS = 120_000;
const ABANDONED_AFTER_MS = 60 * 60_000;
const WORK_PREFIX = '.postgres-init-';

/** PG_VERSION, or null when there is no cluster yet. @throws invalid `data_dir_not_a_cluster`. */
export async function readClusterVersion(clusterDir: string): Promise<string | null> {
  try {
    return (await readFile(join(clusterDir, 'PG_VERSION'), 'utf8')).trim();
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw thrown;
  }
  const files = await readdir(clusterDir).catch(() => []);
  if (files.length > 0) throw notACluster(clusterDir);
  return null;
}

/** @throws invalid `data_dir_version_mismatch`. */
export function checkVersion(clusterDir: string, found: string, binaries: Binaries): void {
  if (found !== binaries.majorVersion) throw versionMismatch(clusterDir, found, binaries.majorVersion);
}

/**
 * Creates the cluster in a work directory and moves it into place in one step: a kill leaves no incomplete
 * cluster, and of two racing callers one wins while the other's cluster is discarded.
 * @returns whether this call's cluster is the one in place.
 * @throws temporary `data_dir_full`, `embedded_postgres_start_failed`.
 */
export async function createCluster(
  paths: DataPaths,
  account: Account,
  binaries: Binaries,
  options: { isDurable: boolean; signal: AbortSignal },
): Promise<boolean> {
  await removeAbandonedWork(paths.dataDir);
  await requireRoom(paths.dataDir, NEW_CLUSTER_BYTES);

  const work = join(paths.dataDir, `${WORK_PREFIX}${process.pid}-${randomBytes(6).toString('hex')}`);
  const password = randomBytes(32).toString('base64url');
  try {
    await mkdir(work, { mode: 0o700 });
    await writeFile(join(work, 'password'), password, { mode: 0o600 });
    await handOver(work, account);
    await runInitdb(work, account, binaries, options);
    // The password is inside the cluster, so that both are created, moved and removed together.
    await rename(join(work, 'password'), join(work, 'cluster', paths.passwordFileName));
    await rename(join(work, 'cluster'), paths.clusterDir);
    return true;
  } catch (thrown) {
    if (isTaken(thrown)) return false;
    throw thrown;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function isTaken(thrown: unknown): boolean {
  return codeOf(thrown) === 'ENOTEMPTY' || codeOf(thrown) === 'EEXIST';
}

async function runInitdb(
  work: string,
  account: Account,
  binaries: Binaries,
  options: { isDurable: boolean; signal: AbortSignal },
): Promise<void> {
  const {
    file,
    args,
    options: runAs,
  } = account.command(binaries.initdb, [
    `--pgdata=${join(work, 'cluster')}`,
    `--pwfile=${join(work, 'password')}`,
    `--username=${SUPERUSER}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // PostgreSQL's builtin collation sorts and changes case alike on every machine, independent of the C library.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--no-instructions',
    ...(options.isDurable ? [] : ['--no-sync']),
  ]);
  try {
    await execFileAsync(file, args, { ...runAs, signal: options.signal, timeout: INITDB_TIMEOUT_MS });
  } catch (thrown) {
    options.signal.throwIfAborted();
    // initdb's files are still there: less free space than a WAL segment means that the disk was full.
    await requireRoom(dirname(work), WAL_SEGMENT_BYTES, thrown);
    const stderr = (thrown as { stderr?: string }).stderr?.trim().slice(-500) ?? '';
    throw startFailed(null, `initdb failed (${codeOf(thrown) ?? 'non-zero exit'})`, stderr);
  }
}

/** Gives the cluster to the account's user, where root changed hands (another user, or a moved directory). */
export async function ensureOwner(clusterDir: string, account: Account): Promise<void> {
  if (account.owner === null) return;
  const { uid } = await stat(clusterDir);
  if (uid === account.owner.uid) return;
  for (const entry of await readdir(clusterDir, { recursive: true })) {
    await lchown(join(clusterDir, entry), account.owner.uid, account.owner.gid);
  }
  // Last: the owner of the directory shows that the rest is done.
  await handOver(clusterDir, account);
}

async function handOver(path: string, account: Account): Promise<void> {
  if (account.owner === null) return;
  for (const entry of await readdir(path))
    await lchown(join(path, entry), account.owner.uid, account.owner.gid);
  await chown(path, account.owner.uid, account.owner.gid);
  await chmod(path, 0o700);
}

/** Removes the work directories of killed initdb processes. */
async function removeAbandonedWork(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(WORK_PREFIX)) continue;
    const path = join(dataDir, name);
    const pid = Number.parseInt(name.slice(WORK_PREFIX.length), 10);
    const made = await stat(path).catch(() => null);
    if (made === null) continue;
    if (!isAlive(pid) || Date.now() - made.mtimeMs > ABANDONED_AFTER_MS) {
      // An initdb that outlived its parent keeps writing for a moment, until its directory is removed.
      const patience = { maxRetries: 20, retryDelay: 100 };
      await rm(path, { recursive: true, force: true, ...patience }).catch(() => undefined);
    }
  }
}
