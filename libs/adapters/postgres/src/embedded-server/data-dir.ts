import { access, chmod, constants, mkdir, readFile, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { onDataDir } from './failures.js';

/** The one role and the one database of the embedded server. */
export const SUPERUSER = 'repotide';
export const DATABASE = 'repotide';

/** Where things lie under the data directory. */
export interface DataPaths {
  /** Absolute, without symbolic links, so that one directory has one name in every process. */
  dataDir: string;
  clusterDir: string;
  logFile: string;
  passwordFile: string;
  passwordFileName: string;
}

/**
 * Makes the data directory on first use and proves that it can be written.
 * @throws invalid `data_dir_not_writable`; temporary `data_dir_full`.
 */
export async function openDataDir(path: string): Promise<DataPaths> {
  const wanted = resolve(path);
  const dataDir = await onDataDir(wanted, async () => {
    // Others may pass through but not look: as root, the server's user must reach its cluster (0700) below.
    const made = await mkdir(wanted, { recursive: true, mode: 0o711 });
    if (made !== undefined) await chmod(wanted, 0o711);
    await access(wanted, constants.R_OK | constants.W_OK | constants.X_OK);
    return realpath(wanted);
  });
  const clusterDir = join(dataDir, 'postgres');
  const passwordFileName = 'repotide.password';
  return {
    dataDir,
    clusterDir,
    logFile: join(dataDir, 'postgres.log'),
    passwordFile: join(clusterDir, passwordFileName),
    passwordFileName,
  };
}

export async function readPassword(paths: DataPaths): Promise<string> {
  return (await onDataDir(paths.dataDir, () => readFile(paths.passwordFile, 'utf8'))).trim();
}
