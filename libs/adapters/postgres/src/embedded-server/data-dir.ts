import { access, chmod, constants, mkdir, readFile, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { codeOf, onDataDir } from './failures.js';

/** The one role and the one database of the embedded server. */
export const SUPERUSER = 'repotide';
export const DATABASE = 'repotide';

/** Other users may traverse but not list it: under root, the server's user must reach its cluster (0700) below. */
const DIR_MODE = 0o711;

/** Paths under the data directory. */
export interface DataPaths {
  /** Absolute, without symbolic links, so that one directory has one name in every process. */
  dataDir: string;
  clusterDir: string;
  logFile: string;
  passwordFile: string;
  passwordFileName: string;
}

/**
 * Creates the data directory on first use and checks that it is writable.
 * @throws invalid `data_dir_not_writable`; temporary `data_dir_full`.
 */
export async function openDataDir(path: string): Promise<DataPaths> {
  const wanted = resolve(path);
  const dataDir = await onDataDir(wanted, async () => {
    if ((await makeDir(wanted)) !== undefined) await chmod(wanted, DIR_MODE);
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

/** Returns the first directory created, or undefined when all existed. */
async function makeDir(path: string): Promise<string | undefined> {
  try {
    return await mkdir(path, { recursive: true, mode: DIR_MODE });
  } catch (thrown) {
    // On a read-only file system a recursive mkdir fails with ENOENT; the plain call reports the reason.
    if (codeOf(thrown) !== 'ENOENT') throw thrown;
    await mkdir(path);
    return path;
  }
}

export async function readPassword(paths: DataPaths): Promise<string> {
  return (await onDataDir(paths.dataDir, () => readFile(paths.passwordFile, 'utf8'))).trim();
}
