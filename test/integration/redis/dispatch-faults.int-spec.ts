import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connectRedis, createBullDispatcher, type BullDispatcher } from '@adapters/redis';
import { type Dispatchable } from '@core/domain';
import { RecordingWorker } from '../../contracts/dispatcher.contract.js';
import { CapturedLog } from '../../support/captured-log.js';
import { spawnSource } from '../../support/child-process.js';
import { eventually } from '../../support/eventually.js';
import { startTestRedis, withRedis, type TestRedis } from '../../support/redis.js';
import { startTcpProxy } from '../../support/tcp-proxy.js';

const CHILD = fileURLToPath(new URL('./dispatch-child.ts', import.meta.url));
const CONCURRENCY = 2;

let server: TestRedis;
let logger: CapturedLog;
let worker: RecordingWorker;
let undo: (() => Promise<void>)[];

beforeEach(async () => {
  server = await startTestRedis();
  logger = new CapturedLog();
  worker = new RecordingWorker();
  undo = [() => server.stop()];
});
afterEach(async () => {
  worker.finishAll();
  for (const step of undo.reverse()) await step();
});

async function openQueue(port = server.port, jobLockMs = 30_000): Promise<BullDispatcher> {
  const redis = await connectRedis({
    urls: [`redis://127.0.0.1:${port}`],
    keyPrefix: 'test',
    commandTimeoutMs: 500,
    logger,
  });
  const queue = await createBullDispatcher({
    redis,
    concurrency: CONCURRENCY,
    jobLockMs,
    closeTimeoutMs: 1_000,
    logger,
  });
  undo.push(async () => {
    await queue.close();
    await redis.close();
  });
  return queue;
}

const newExecution = (changes: Partial<Dispatchable> = {}): Dispatchable => ({
  id: randomUUID(),
  trigger: 'cron',
  attempt: 1,
  availableAt: null,
  ...changes,
});

/** Dispatches until a worker has started the execution, like the reconciler. */
async function dispatchUntilStarted(queue: BullDispatcher, execution: Dispatchable): Promise<void> {
  while (!worker.started.includes(execution.id)) {
    await queue.dispatch(execution).catch(() => undefined);
    await sleep(50);
  }
}

it('the queue stores only ids, under the prefix, and deletes them after the run', async () => {
  const queue = await openQueue();
  const execution = newExecution({ attempt: 3 });
  await queue.dispatch(execution);
  const keys = () => withRedis(server.url, (client) => client.keys('*'));
  expect((await keys()).every((key) => key.startsWith('test:executions:'))).toBe(true);
  const job = await withRedis(server.url, (client) => client.hgetall(`test:executions:x-${execution.id}-3`));
  expect(JSON.parse(job.data ?? '')).toEqual({ execution_id: execution.id });
  worker.finishAll();
  await queue.start(worker.run);
  await worker.hasEnded(1);
  await eventually(async () => !(await keys()).some((key) => key.includes(execution.id)));
});

describe('FLUSHALL on the queue', () => {
  it.each([
    ['an idle', 0],
    ['a partly busy', 1],
    ['a fully busy', CONCURRENCY],
  ])('leaves %s worker able to run all later executions', async (_, busy) => {
    const queue = await openQueue();
    const later = new RecordingWorker();
    let current = worker;
    await queue.start((executionId) => current.run(executionId));
    for (let index = 0; index < busy; index++) await queue.dispatch(newExecution());
    await worker.hasStarted(busy);
    await sleep(100);
    await withRedis(server.url, (client) => client.flushall());
    current = later;
    worker.finishAll();
    const next = Array.from({ length: 2 * CONCURRENCY }, () => newExecution().id);
    for (const id of next) await queue.dispatch(newExecution({ id }));
    // At full concurrency: no fetch loop ended with the lost jobs.
    await later.hasStarted(CONCURRENCY);
    later.finishAll();
    await later.hasEnded(next.length);
    expect(later.started.toSorted()).toEqual(next.sort());
  });

  it('deletes delayed and waiting messages, and the reconciler dispatches them again', async () => {
    const queue = await openQueue();
    const [waiting, delayed] = [newExecution(), newExecution({ availableAt: new Date(Date.now() + 60_000) })];
    await queue.dispatch(waiting);
    await queue.dispatch(delayed);
    expect(await queue.depth()).toBe(2);
    await withRedis(server.url, (client) => client.flushall());
    expect(await queue.depth()).toBe(0);
    await queue.start(worker.run);
    await dispatchUntilStarted(queue, waiting);
    await dispatchUntilStarted(queue, { ...delayed, availableAt: null });
  });
});

describe('a Redis outage', () => {
  it.each(['kept', 'empty'] as const)(
    'with memory %s afterwards: the worker continues without a restart',
    async (memory) => {
      const queue = await openQueue();
      await queue.start(worker.run);
      worker.finishAll();
      const before = newExecution();
      await queue.dispatch(before);
      await worker.hasEnded(1);
      await server.kill();
      await expect(queue.dispatch(newExecution())).rejects.toMatchObject({
        kind: 'temporary',
        code: 'queue_unavailable',
      });
      await expect(queue.depth()).rejects.toMatchObject({ code: 'queue_unavailable' });
      await server.start(memory);
      await dispatchUntilStarted(queue, newExecution());
    },
  );

  it('during a run: the run ends normally, and the next one starts', async () => {
    const queue = await openQueue();
    await queue.start(worker.run);
    await queue.dispatch(newExecution());
    await worker.hasStarted(1);
    await server.kill();
    worker.finishAll();
    await worker.hasEnded(1);
    await server.start('empty');
    await dispatchUntilStarted(queue, newExecution());
  });

  it('at the start of the worker: it begins when Redis is available', async () => {
    const queue = await openQueue();
    await server.kill();
    await queue.start(worker.run);
    await server.start();
    await dispatchUntilStarted(queue, newExecution());
  });

  it('by a freeze: dispatch fails fast, and the worker continues after the thaw', async () => {
    const queue = await openQueue();
    await queue.start(worker.run);
    server.freeze();
    await expect(queue.dispatch(newExecution())).rejects.toMatchObject({ code: 'queue_unavailable' });
    server.thaw();
    await dispatchUntilStarted(queue, newExecution());
  });

  it('by a network that drops everything: the worker closes its dead connections', async () => {
    const proxy = await startTcpProxy(server);
    undo.push(() => proxy.close());
    const behindProxy = await openQueue(proxy.port);
    const direct = await openQueue();
    await behindProxy.start(worker.run);
    await direct.dispatch(newExecution());
    await worker.hasStarted(1);
    proxy.blackhole('to-server', 'to-client');
    const sockets = proxy.connectionCount();
    await direct.dispatch(newExecution());
    // The worker abandons the blocking fetch and reconnects; the data in the old socket is useless.
    await eventually(() => proxy.connectionCount() !== sockets);
    proxy.cut();
    proxy.restore();
    await worker.hasStarted(2);
  });
});

describe('the job of a lost pod', () => {
  it('is run by another pod under the same id', async () => {
    const jobLockMs = 1_000;
    const pod = spawnSource(CHILD, [server.url, 'test', String(jobLockMs)]);
    undo.push(async () => {
      pod.process.kill('SIGKILL');
      await pod.ended;
    });
    await pod.next('ready');
    const queue = await openQueue(server.port, jobLockMs);
    const execution = newExecution();
    await queue.dispatch(execution);
    expect(await pod.next('started')).toMatchObject({ executionId: execution.id });
    pod.process.kill('SIGKILL');
    await pod.ended;
    await queue.start(worker.run);
    await worker.hasStarted(1);
    expect(worker.started).toEqual([execution.id]);
  });
});

describe('drain and close of the queue', () => {
  it('wait for runs but not for Redis', async () => {
    const queue = await openQueue();
    await queue.start(worker.run);
    await queue.dispatch(newExecution());
    await worker.hasStarted(1);
    server.freeze();
    const drained = queue.drain();
    worker.finishAll();
    await drained;
    await queue.close();
    await queue.close();
    server.thaw();
  });

  it('lose no job that was fetched at the last moment', async () => {
    const executions: string[] = [];
    const leaving = new RecordingWorker();
    leaving.finishAll();
    const producer = await openQueue();
    for (let round = 0; round < 15; round++) {
      const pod = await openQueue();
      await pod.start(leaving.run);
      const execution = newExecution();
      executions.push(execution.id);
      const dispatched = producer.dispatch(execution);
      await sleep(round);
      await pod.drain();
      const startedByThen = leaving.started.length;
      await dispatched;
      await pod.close();
      expect(leaving.started).toHaveLength(startedByThen);
    }
    worker.finishAll();
    await producer.start(worker.run);
    await eventually(() => leaving.started.length + worker.started.length >= executions.length);
    expect([...leaving.started, ...worker.started].sort()).toEqual(executions.sort());
  });
});
