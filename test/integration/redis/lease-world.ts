import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { connectRedis, createRedisLeaseManager, type StartRenewalThread } from '@adapters/redis';
import { type Lease, type LeaseManager } from '@core/domain';
import { CapturedLog } from '../../support/captured-log.js';
import {
  startRenewalThreadFromSource,
  startTestRedis,
  withRedis,
  type TestRedis,
} from '../../support/redis.js';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.js';

/** Shortened from 60 s and 15 s; the holder aborts itself after 900 ms. */
export const SHORT = { ttlMs: 1_200, renewMs: 300 };
/** So long that no test waits for the key to expire: a missing key was removed. */
export const LONG = { ttlMs: 60_000, renewMs: 15_000 };
export const REPOSITORY = 'r1';
export const KEY = `test:scheduler_lock:repo_sync_${REPOSITORY}`;
const COMMAND_TIMEOUT_MS = 250;

export interface ManagerOptions {
  podName?: string;
  ttlMs?: number;
  renewMs?: number;
  startThread?: StartRenewalThread;
}

/** Servers, proxies and managers of one test, all for the same repository. */
export class LeaseWorld {
  readonly logger = new CapturedLog();
  private readonly undo: (() => Promise<void>)[] = [];
  private lastFence = 0;

  atEnd(step: () => Promise<void>): void {
    this.undo.push(step);
  }
  async end(): Promise<void> {
    for (const step of this.undo.reverse()) await step();
  }

  async startRedis(): Promise<TestRedis> {
    const server = await startTestRedis();
    this.atEnd(() => server.stop());
    return server;
  }

  async startProxy(server: TestRedis): Promise<TcpProxy> {
    const proxy = await startTcpProxy(server);
    this.atEnd(() => proxy.close());
    return proxy;
  }

  async openManager(ports: number[], options: ManagerOptions = {}): Promise<LeaseManager> {
    const { logger } = this;
    const urls = ports.map((port) => `redis://127.0.0.1:${port}`);
    const redis = await connectRedis({
      urls,
      keyPrefix: 'test',
      commandTimeoutMs: COMMAND_TIMEOUT_MS,
      logger,
    });
    const startThread = startRenewalThreadFromSource;
    const settings = { podName: 'pod-a', startThread, ...SHORT, ...options };
    const manager = await createRedisLeaseManager({ redis, logger, ...settings });
    this.atEnd(async () => {
      await manager.close();
      await redis.close();
    });
    return manager;
  }

  newRun() {
    return { repositoryId: REPOSITORY, executionId: randomUUID(), fence: ++this.lastFence };
  }

  async acquired(manager: LeaseManager): Promise<Lease> {
    const lease = await manager.acquire(this.newRun());
    if (!lease) throw new Error('the lease was refused');
    return lease;
  }

  /** Retries until the lease is acquired. */
  async acquiredInTheEnd(manager: LeaseManager): Promise<Lease> {
    for (;;) {
      const lease = await manager.acquire(this.newRun()).catch(() => null);
      if (lease) return lease;
      await sleep(20);
    }
  }
}

export async function isLost(lease: Lease): Promise<void> {
  if (!lease.signal.aborted) await once(lease.signal, 'abort');
  expect(lease.signal.reason).toMatchObject({ kind: 'temporary', code: 'lease_lost' });
}

/** The value of the lease in Redis. */
export function storedLease(server: TestRedis): Promise<string | null> {
  return withRedis(server.url, (client) => client.get(KEY));
}
