import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, toRepotideError } from '@core/domain';
import { bringUp } from './bring-up.js';
import { DATABASE, type DataPaths, openDataDir, readPassword, SUPERUSER } from './data-dir.js';
import { keepHostMarked } from './host-mark.js';
import { type Ownership } from './ownership.js';
import { findPostmaster, shutDownPostmaster } from './postmaster.js';
import { keepLogBounded } from './server-log.js';
import { DEFAULT_MAX_CONNECTIONS } from './settings.js';

/** Delays between attempts to restart a vanished server; the last one repeats. */
const REVIVE_DELAYS_MS = [0, 1_000, 2_000, 5_000, 10_000, 30_000] as const;

export interface EmbeddedPostgresOptions {
  /** Created on first use. The cluster is in its `postgres` folder, the server's log in `postgres.log`. */
  dataDir: string;
  logger: Logger;
  /** Aborts the start; has no effect once the server runs. */
  signal?: AbortSignal;
  /** False trades durability after a power loss for speed, in tests. Default true. */
  isDurable?: boolean;
  /** Default 60. */
  maxConnections?: number;
}

export interface EmbeddedPostgres {
  /** Contains the password: never log it. Stays the same when the server is restarted after a crash. */
  readonly url: string;
  /** Ends all sessions and stops the server, within 30 s. Never throws; repeating is harmless. */
  stop(): Promise<void>;
}

/**
 * A real PostgreSQL server for this process alone. When this process is killed the server keeps running and
 * the next start adopts it; an orderly exit stops it. It does not keep this process alive.
 * @throws conflict `data_dir_in_use`; invalid `data_dir_not_writable`, `data_dir_version_mismatch`,
 *   `data_dir_not_a_cluster`, `embedded_postgres_missing`, `embedded_postgres_unusable`,
 *   `embedded_postgres_needs_a_user`, `embedded_postgres_password_rejected`; temporary `data_dir_full`,
 *   `embedded_postgres_start_failed`; cancelled.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const paths = await openDataDir(options.dataDir);
  const server = new EmbeddedServer(paths, options);
  return server.start();
}

/**
 * The URL of the server that another process of this host runs on the data directory; null: there is none. Only a user who
 * may read the password file of the cluster gets it.
 */
export async function findRunningServer(dataDir: string): Promise<string | null> {
  const paths = await openDataDir(dataDir);
  const running = await findPostmaster(paths.clusterDir);
  return running?.isReady ? urlOf(running.port, await readPassword(paths)) : null;
}

/** Unencrypted even when PGSSLMODE, meant for another server, requires encryption. */
function urlOf(port: number, password: string): string {
  return `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${DATABASE}?sslmode=disable`;
}

class EmbeddedServer {
  private readonly logger: Logger;
  private readonly stopping = new AbortController();
  private ownership: Ownership | null = null;
  private revival: Promise<void> = Promise.resolve();
  private stopped: Promise<void> | null = null;
  private keepers: NodeJS.Timeout[] = [];

  constructor(
    private readonly paths: DataPaths,
    private readonly options: EmbeddedPostgresOptions,
  ) {
    this.logger = options.logger.child({ component: 'embedded-postgres' });
  }

  async start(): Promise<EmbeddedPostgres> {
    const { signal } = this.options;
    const anyStop =
      signal === undefined ? this.stopping.signal : AbortSignal.any([signal, this.stopping.signal]);
    this.keepers = [keepHostMarked(this.paths.clusterDir), keepLogBounded(this.paths.logFile)];
    const { port, pid } = await this.takeServer(null, anyStop).catch((thrown: unknown) => {
      this.stopKeepers();
      throw toRepotideError(thrown);
    });
    const password = await readPassword(this.paths);
    process.once('exit', this.stopAtExit);
    this.logger.info({ pid, port, data_dir: this.paths.dataDir }, 'embedded database ready');
    return {
      url: urlOf(port, password),
      stop: () => (this.stopped ??= this.stop()),
    };
  }

  private async takeServer(port: number | null, signal: AbortSignal): Promise<{ pid: number; port: number }> {
    const ownership = await bringUp(this.paths, {
      port,
      isDurable: this.options.isDurable ?? true,
      maxConnections: this.options.maxConnections ?? DEFAULT_MAX_CONNECTIONS,
      logger: this.logger,
      signal,
    });
    this.ownership = ownership;
    void ownership.ended.then(() => {
      this.ownership = null;
      if (!this.stopping.signal.aborted) this.revival = this.revive(ownership.postmaster.port);
    });
    return ownership.postmaster;
  }

  /** The server died or ended our session: without a restart every query would fail. */
  private async revive(port: number): Promise<void> {
    this.logger.warn({ port }, 'embedded database lost');
    const { signal } = this.stopping;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const delayMs = REVIVE_DELAYS_MS[Math.min(attempt, REVIVE_DELAYS_MS.length - 1)];
      await sleep(delayMs, undefined, { ref: false, signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.takeServer(port, signal);
        this.logger.info({ port }, 'embedded database is back');
        return;
      } catch (thrown) {
        if (signal.aborted) return;
        this.logger.error({ err: toRepotideError(thrown) }, 'embedded database could not be brought back');
      }
    }
  }

  private async stop(): Promise<void> {
    this.stopping.abort();
    process.removeListener('exit', this.stopAtExit);
    await this.revival;
    const ownership = this.ownership;
    // Only the owner may stop the server; once the session has ended, another process may have adopted it.
    if (ownership === null || !(await ownership.confirm())) return this.stopKeepers();
    try {
      await shutDownPostmaster(this.paths.clusterDir, ownership.postmaster.pid);
      this.logger.info({ pid: ownership.postmaster.pid }, 'embedded database stopped');
    } catch (thrown) {
      this.logger.error({ err: toRepotideError(thrown) }, 'embedded database could not be stopped');
    }
    await ownership.release();
    // Not earlier: to another host a slow shutdown must not look like a vanished host.
    this.stopKeepers();
  }

  private stopKeepers(): void {
    for (const keeper of this.keepers) clearInterval(keeper);
  }

  /** For a process that exits without {@link stop}: exit handlers cannot wait, so the server shuts down by itself. */
  private readonly stopAtExit = (): void => {
    if (this.ownership === null) return;
    try {
      process.kill(this.ownership.postmaster.pid, 'SIGINT');
    } catch {
      // The server has already exited.
    }
  };
}
