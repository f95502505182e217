import { existsSync } from 'node:fs';
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from '@core/domain';
import { codeOf, dataDirInUse } from './failures.js';

/**
 * PostgreSQL's own guards see only processes and memory of this host: two containers that share a volume (a
 * rolling update) would run two servers on one cluster and destroy it. So the host that uses the cluster
 * writes its name into a file and renews the file's mtime.
 */
const RENEW_EVERY_MS = 3_000;
/** Five missed renewals. The mtime is watched instead of compared with a clock, because hosts' clocks differ. */
const SILENT_AFTER_MS = 15_000;
const POLL_MS = 200;

/**
 * Waits until no server of another host uses the cluster. Does not wait after an orderly stop, or when the
 * last host was this one.
 * @throws conflict `data_dir_in_use` naming the other host.
 */
export async function awaitNoOtherHost(
  dataDir: string,
  clusterDir: string,
  options: { logger: Logger; signal: AbortSignal },
): Promise<void> {
  const first = await readMark(clusterDir);
  if (first === null || first.host === hostname() || !isInUse(clusterDir)) return;
  options.logger.warn({ host: first.host, data_dir: dataDir }, 'watching whether another host uses the data');
  const end = performance.now() + SILENT_AFTER_MS;
  while (performance.now() < end) {
    options.signal.throwIfAborted();
    await sleep(POLL_MS);
    const mark = await readMark(clusterDir);
    if (mark !== null && mark.renewedAtMs !== first.renewedAtMs) throw dataDirInUse(dataDir, null, mark.host);
    if (!isInUse(clusterDir)) return;
  }
}

/** Only an orderly stop removes the pid file. */
function isInUse(clusterDir: string): boolean {
  return existsSync(join(clusterDir, 'postmaster.pid'));
}

/** Writes this host's name. Repeating is harmless. */
export async function markHost(clusterDir: string): Promise<void> {
  // Removed first, because a file of another user could not be renewed.
  await rm(markFile(clusterDir), { force: true });
  await writeFile(markFile(clusterDir), hostname());
}

/** Renews the mark while it names this host. Does not keep the process alive. */
export function keepHostMarked(clusterDir: string): NodeJS.Timeout {
  return setInterval(() => void renew(clusterDir).catch(() => undefined), RENEW_EVERY_MS).unref();
}

async function renew(clusterDir: string): Promise<void> {
  const mark = await readMark(clusterDir);
  const now = new Date();
  if (mark?.host === hostname()) await utimes(markFile(clusterDir), now, now);
}

async function readMark(clusterDir: string): Promise<{ host: string; renewedAtMs: number } | null> {
  try {
    const host = (await readFile(markFile(clusterDir), 'utf8')).trim();
    const { mtimeMs } = await stat(markFile(clusterDir));
    return { host, renewedAtMs: mtimeMs };
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return null;
    throw thrown;
  }
}

function markFile(clusterDir: string): string {
  return join(clusterDir, 'repotide.host');
}
