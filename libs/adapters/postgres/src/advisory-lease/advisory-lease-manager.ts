import {
  type Clock,
  type HeldLease,
  type Lease,
  type LeaseHolder,
  type LeaseManager,
  type Logger,
  RepotideError,
  systemClock,
  toRepotideError,
} from '@core/domain';
import { type ConnectionTarget, optionsFor } from '../sql/connection-target.js';
import { HeldAdvisoryLease, type LeaseRun } from './held-lease.js';
import { LeaseSession } from './lease-session.js';
import { BREAK_PATIENCE_MS, breakLock, endExpired, giveBack, renewLocks, takeLock } from './lock.js';
import { LIST } from './statements.js';

export interface AdvisoryLeaseOptions {
  /** URL of Postgres itself, or of a pooler that gives each client its own session. */
  url: ConnectionTarget['url'];
  /** `DATABASE_TLS_DIR` */
  tlsDir?: ConnectionTarget['tlsDir'];
  podName: string;
  /** After this long without a renewal, a process that wants the lease may end the holder's session. */
  ttlMs: number;
  renewMs: number;
  logger: Logger;
  /** How long the holder of a broken lease may take to release it, before its session is ended. Default 3 s. */
  breakPatienceMs?: number;
  clock?: Pick<Clock, 'monotonicMs'>;
}

/**
 * Share of the TTL without a renewal after which a holder gives up: 10 of 15 s in client-go, plus room for
 * clock drift.
 */
const SELF_ABORT_SHARE = 3 / 4;

/**
 * Leases as session locks of Postgres, all of a process on one connection outside every pool. No process
 * waits on the server for a lock. A lock ends with its session: at once when the process dies, after 25 s
 * when its host vanishes. The heartbeat row shows a holder that hangs; the next process that wants the lease
 * ends its session.
 * @throws invalid `lease_needs_direct_connection` behind PgBouncer in transaction mode; otherwise as
 *   `connectDatabase`.
 */
export async function createAdvisoryLeaseManager(options: AdvisoryLeaseOptions): Promise<LeaseManager> {
  const manager = new AdvisoryLeaseManager(options);
  try {
    await manager.connect();
    return manager;
  } catch (error) {
    await manager.close();
    throw error;
  }
}

class AdvisoryLeaseManager implements LeaseManager {
  /** By repository; null while the lock is being taken. */
  private readonly held = new Map<string, HeldAdvisoryLease | null>();
  private readonly clock: Pick<Clock, 'monotonicMs'>;
  private readonly renewal: NodeJS.Timeout;
  private readonly connection: ReturnType<typeof optionsFor>;
  private session: Promise<LeaseSession> | null = null;
  private isClosed = false;

  constructor(private readonly options: AdvisoryLeaseOptions) {
    this.clock = options.clock ?? systemClock;
    this.connection = optionsFor(options);
    this.renewal = setInterval(() => void this.renewAll(), options.renewMs).unref();
  }

  async acquire(run: LeaseRun): Promise<Lease | null> {
    const { repositoryId } = run;
    // A session can take its own lock twice, so this process must keep track itself.
    if (this.held.has(repositoryId)) return null;
    this.held.set(repositoryId, null);
    let lease: HeldAdvisoryLease | null = null;
    try {
      const session = await this.connect();
      lease = (await this.take(session, run)) ?? (await this.takeExpired(session, run));
      return lease;
    } finally {
      if (lease === null) this.held.delete(repositoryId);
    }
  }

  async checkHealth(): Promise<void> {
    await this.list();
  }

  async holderOf(repositoryId: string): Promise<LeaseHolder | null> {
    const [found] = await this.read(repositoryId);
    if (found === undefined) return null;
    const { podName, executionId, fence } = found;
    return { podName, executionId, fence };
  }

  list(): Promise<HeldLease[]> {
    return this.read(null);
  }

  async breakLease(repositoryId: string, holder: LeaseHolder): Promise<boolean> {
    const { logger, breakPatienceMs: patienceMs = BREAK_PATIENCE_MS } = this.options;
    const onSilent = (): void =>
      logger.warn({ repositoryId, holder }, 'lease holder did not release the lease; ending its session');
    return breakLock(await this.connect(), repositoryId, holder, { patienceMs, onSilent });
  }

  /** Locks end with their session, so closing releases them. The signals of held leases are aborted first. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.renewal);
    const session = await this.session?.catch(() => null);
    await session?.close('this process closed the connection that held it');
  }

  /** The session of all leases; opens a new one when the last has ended. */
  connect(): Promise<LeaseSession> {
    if (this.isClosed) {
      const message = 'The leases of this process are closed: it is stopping.';
      return Promise.reject(new RepotideError('temporary', 'lease_unavailable', message));
    }
    this.session ??= this.openSession();
    return this.session;
  }

  private openSession(): Promise<LeaseSession> {
    const { url, podName } = this.options;
    const opening: Promise<LeaseSession> = LeaseSession.open({
      url,
      connection: this.connection,
      podName,
      onEnd: (why) => {
        if (this.session === opening) this.session = null;
        for (const lease of [...this.held.values()]) lease?.lose(why);
      },
      onBroken: (repositoryId) => {
        if (this.held.has(repositoryId)) void this.renewAll();
      },
    });
    return opening;
  }

  private async read(repositoryId: string | null): Promise<HeldLease[]> {
    const session = await this.connect();
    return session.inTime(session.query<HeldLease>(LIST, [this.options.ttlMs / 1000, repositoryId]));
  }

  private async take(session: LeaseSession, run: LeaseRun): Promise<HeldAdvisoryLease | null> {
    const { podName, ttlMs } = this.options;
    const sentAtMs = this.clock.monotonicMs();
    if (!(await this.tryLock(session, run))) return null;
    const selfAbortMs = ttlMs * SELF_ABORT_SHARE;
    const lease = new HeldAdvisoryLease(run, this.clock, {
      selfAbortMs,
      // A silent connection affects all leases, and the server releases the locks once it notices the end of
      // the session.
      onExpiry: () => session.drop(`Postgres has not confirmed it for ${selfAbortMs / 1000} s`),
      letGo: () => {
        if (this.held.get(run.repositoryId) === lease) this.held.delete(run.repositoryId);
        return giveBack(session, podName, run);
      },
    });
    this.held.set(run.repositoryId, lease);
    lease.prove(sentAtMs);
    return lease;
  }

  private async tryLock(session: LeaseSession, run: LeaseRun): Promise<boolean> {
    try {
      return await takeLock(session, this.options.podName, run);
    } catch (error) {
      // If the answer never comes, only the end of the session undoes the lock. It is kept while it holds
      // other leases.
      const isInUse = [...this.held.values()].some((lease) => lease !== null);
      if (!isInUse) session.drop('the database connection does not answer');
      throw error;
    }
  }

  private async takeExpired(session: LeaseSession, run: LeaseRun): Promise<HeldAdvisoryLease | null> {
    const { repositoryId } = run;
    const holder = await endExpired(session, repositoryId, this.options.ttlMs);
    if (holder === null) return null;
    const fields = { repositoryId, holder };
    this.options.logger.warn(fields, 'lease expired; the session of its silent holder was ended');
    return this.take(session, run);
  }

  /** One statement renews all leases. */
  private async renewAll(): Promise<void> {
    const leases = [...this.held.values()].filter((lease) => lease !== null);
    if (leases.length === 0) return;
    const sentAtMs = this.clock.monotonicMs();
    try {
      const runs = leases.map(({ run }) => run);
      const mine = await renewLocks(await this.connect(), this.options.podName, runs);
      for (const lease of leases) {
        if (mine.has(lease.run.repositoryId)) lease.prove(sentAtMs);
        else lease.lose('it was taken away');
      }
    } catch (thrown) {
      const { code, message } = toRepotideError(thrown);
      this.options.logger.warn({ error_code: code, error: message }, 'leases not renewed; trying again');
    }
  }
}
