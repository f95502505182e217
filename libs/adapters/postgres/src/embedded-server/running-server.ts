import { DATABASE, openDataDir, readPassword, SUPERUSER } from './data-dir.js';
import { findPostmaster } from './postmaster.js';

/** Unencrypted even when PGSSLMODE, meant for another server, requires encryption. */
export function urlOf(port: number, password: string): string {
  return `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${DATABASE}?sslmode=disable`;
}

/**
 * The URL of the server that another process of this host runs on the data directory; null: there is none. Only a user who
 * may read the password file of the cluster gets it.
 */
export async function findRunningServer(path: string): Promise<string | null> {
  const paths = await openDataDir(path);
  const running = await findPostmaster(paths.clusterDir);
  return running?.isReady ? urlOf(running.port, await readPassword(paths)) : null;
}
