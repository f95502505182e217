import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ListeningHints } from '@adapters/postgres';
import { type Hint } from '@core/domain';
import { eventually } from '../../support/eventually.js';
import { startTcpProxy } from '../../support/tcp-proxy.js';
import { silentLogger as logger } from '../../support/silent-logger.js';
import { addRepository, enqueue, openStores, type Stores } from './fixtures.js';

let stores: Stores;
let opened: ListeningHints[];

beforeEach(async () => {
  stores = await openStores();
  opened = [];
});
afterEach(async () => {
  for (const hints of opened) await hints.close();
  await stores.close();
});

/** Resolves when the connection listens: it then reports that hints may have been lost. */
async function openHints(
  podName: string,
  options: { url?: string; checkIntervalMs?: number } = {},
): Promise<{ hints: ListeningHints; received: Hint[]; stop: () => void }> {
  const hints = new ListeningHints({ url: stores.url, podName, database: stores.db, logger, ...options });
  opened.push(hints);
  const received: Hint[] = [];
  const stop = hints.subscribe((hint) => received.push(hint));
  await eventually(() => received.length === 2);
  received.length = 0;
  return { hints, received, stop };
}

const cancel: Hint = { kind: 'cancel_requested', executionId: 'e1' };

describe('hints over LISTEN and NOTIFY', () => {
  it('reach all pods, including the sender', async () => {
    const [first, second] = [await openHints('pod-1'), await openHints('pod-2')];
    first.hints.publish(cancel);
    await eventually(() => first.received.length > 0 && second.received.length > 0);
    expect([...first.received, ...second.received]).toEqual([cancel, cancel]);
  });

  it('announce a queued execution with its commit', async () => {
    const { received } = await openHints('pod-1');
    await enqueue(stores, (await addRepository(stores)).id);
    await eventually(() => received.length > 0);
    expect(received).toEqual([{ kind: 'work_queued' }]);
  });

  it('are not delivered after the subscription has stopped', async () => {
    const [first, second] = [await openHints('pod-1'), await openHints('pod-2')];
    second.stop();
    first.hints.publish(cancel);
    await eventually(() => first.received.length > 0);
    expect(second.received).toEqual([]);
  });

  it('come back after the connection was cut, and report that some may have been lost', async () => {
    const { hints, received } = await openHints('pod-1');
    await stores.db.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'repotide:pod-1:hints'`,
    );
    await eventually(() => received.length === 2);
    expect(received).toEqual([{ kind: 'work_queued' }, { kind: 'schedules_changed' }]);
    hints.publish(cancel);
    await eventually(() => received.length === 3);
  });

  it('come back after the server vanished without closing the connection', async () => {
    const { hostname, port } = new URL(stores.url);
    const proxy = await startTcpProxy({ host: hostname, port: Number(port) });
    try {
      const url = new URL(stores.url);
      [url.hostname, url.port] = [proxy.host, String(proxy.port)];
      const { received } = await openHints('pod-1', { url: url.href, checkIntervalMs: 500 });
      proxy.blackhole('to-client', 'to-server');
      await eventually(() => proxy.connectionCount() !== 1);
      expect(received).toEqual([]);
      proxy.restore();
      await eventually(() => received.length === 2);
      expect(received).toEqual([{ kind: 'work_queued' }, { kind: 'schedules_changed' }]);
    } finally {
      for (const hints of opened.splice(0)) await hints.close();
      await proxy.close();
    }
  });

  it('of other versions are ignored', async () => {
    const { hints, received } = await openHints('pod-1');
    for (const text of ['', 'null', '{"kind":"news"}', '{"kind":"cancel_requested"}', 'not JSON']) {
      await stores.db.query(`SELECT pg_notify('repotide_hints', $1)`, [text]);
    }
    hints.publish(cancel);
    await eventually(() => received.length > 0);
    expect(received).toEqual([cancel]);
  });
});
