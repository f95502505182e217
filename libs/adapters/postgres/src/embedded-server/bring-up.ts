import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, RepotideError, throwIfAborted } from '@core/domain';
import { chooseAccount } from './account.js';
import { findBinaries } from './binaries.js';
import {
  checkVersion,
  createCluster,
  ensureOwner,
  readClusterVersion,
  WAL_SEGMENT_BYTES,
} from './cluster.js';
import { type DataPaths, readPassword } from './data-dir.js';
import { notACluster, onDataDir, requireRoom, startFailed } from './failures.js';
import { awaitNoOtherHost, markHost } from './host-mark.js';
import { claimServer, type Ownership } from './ownership.js';
import { findPostmaster, launchPostmaster, removeStalePidFile, shutDownPostmaster } from './postmaster.js';
import { boundLog, logSize, logTail } from './server-log.js';
import { serverSettings } from './settings.js';

/** Recovery after a crash replays 256 MB at most, which takes seconds. */
const START_TIMEOUT_MS = 60_000;
const POLL_MS = 50;
/** Another process may take the free port, or be the first to start the server. */
const MAX_LAUNCHES = 4;

export interface BringUpOptions {
  /** Null: any free port. */
  port: number | null;
  maxConnections: number;
  isDurable: boolean;
  logger: Logger;
  signal: AbortSignal;
}

/**
 * Creates the cluster if there is none, starts its server or adopts one that a killed Repotide left running,
 * and claims it for this process. Several processes may do this at once: one succeeds, the others are
 * refused.
 */
export async function bringUp(paths: DataPaths, options: BringUpOptions): Promise<Ownership> {
  await onDataDir(paths.dataDir, () => prepareCluster(paths, options));
  const password = await readPassword(paths);
  const launched: Launched = { pid: null };
  try {
    return await launchAndClaim(paths, password, options, launched);
  } catch (thrown) {
    // In use: the server belongs to another process by now. Otherwise no process would stop it.
    const isTaken = thrown instanceof RepotideError && thrown.code === 'data_dir_in_use';
    if (launched.pid !== null && !isTaken) await shutDownPostmaster(paths.clusterDir, launched.pid);
    throw thrown;
  }
}

/** The server that this call started, if any. */
interface Launched {
  pid: number | null;
}

async function launchAndClaim(
  paths: DataPaths,
  password: string,
  options: BringUpOptions,
  launched: Launched,
): Promise<Ownership> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (let failures = 0; ;) {
    throwIfAborted(options.signal);
    const running = await onDataDir(paths.dataDir, () => findPostmaster(paths.clusterDir));
    if (performance.now() > deadline) {
      throw await explain(paths, {
        why: `it was not ready after ${START_TIMEOUT_MS / 1000} s`,
        logOffset: 0,
      });
    }
    if (running === null) {
      const outcome = await launch(paths, options, deadline);
      if ('pid' in outcome) launched.pid = outcome.pid;
      else if (++failures >= MAX_LAUNCHES) throw await explain(paths, outcome);
      continue;
    }
    const ownership = running.isReady ? await claimServer(paths, running, password) : null;
    if (ownership !== null) return ownership;
    await sleep(POLL_MS);
  }
}

async function prepareCluster(paths: DataPaths, options: BringUpOptions): Promise<void> {
  const binaries = await findBinaries();
  let version = await readClusterVersion(paths.clusterDir);
  if (version === null) {
    const account = await chooseAccount(paths.dataDir, paths.clusterDir, binaries);
    const isOurs = await createCluster(paths, account, binaries, options);
    version = await readClusterVersion(paths.clusterDir);
    if (version === null) throw notACluster(paths.clusterDir);
    if (isOurs) {
      options.logger.info(
        { path: paths.clusterDir, account: account.description },
        'embedded database created',
      );
    }
  }
  checkVersion(paths.clusterDir, version, binaries);
}

interface LaunchFailure {
  why: string;
  /** Offset in the log at which the launch began. */
  logOffset: number;
}

/** A failure may mean that another process was first, so the caller checks again. */
async function launch(
  paths: DataPaths,
  options: BringUpOptions,
  deadline: number,
): Promise<{ pid: number } | LaunchFailure> {
  const binaries = await findBinaries();
  const account = await chooseAccount(paths.dataDir, paths.clusterDir, binaries);
  return onDataDir(paths.dataDir, async () => {
    await awaitNoOtherHost(paths.dataDir, paths.clusterDir, options);
    await ensureOwner(paths.clusterDir, account);
    await markHost(paths.clusterDir);
    await removeStalePidFile(paths.clusterDir);
    await boundLog(paths.logFile);
    const logOffset = await logSize(paths.logFile);
    const outcome = await launchPostmaster(paths, account, binaries, {
      port: options.port ?? (await freePort()),
      settings: serverSettings(options),
      timeoutMs: deadline - performance.now(),
      signal: options.signal,
    });
    return 'pid' in outcome ? outcome : { ...outcome, logOffset };
  });
}

async function explain(paths: DataPaths, failure: LaunchFailure): Promise<RepotideError> {
  await requireRoom(paths.dataDir, WAL_SEGMENT_BYTES);
  return startFailed(paths.logFile, failure.why, await logTail(paths.logFile, failure.logOffset));
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port was assigned');
  return address.port;
}
