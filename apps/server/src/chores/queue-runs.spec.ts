import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { type Execution, type ExecutionStore, type Repository, type RepositoryStore } from '@core/domain';
import { QueuePurges } from './queue-runs.js';

const MINUTE_MS = 60_000;
const deletedAt = new Date('2026-11-22T10:00:00Z');

beforeEach(() => {
  jest.useFakeTimers({ now: deletedAt });
});
afterEach(() => {
  jest.useRealTimers();
});

it('queues a purge that keeps failing ever less often, at least once an hour', async () => {
  const failed: Execution[] = [];
  const executions: Partial<ExecutionStore> = {
    list: async ({ from }, { limit }) => {
      expect(from).toEqual(deletedAt);
      return { items: failed.slice(0, limit), total: failed.length };
    },
    enqueue: async () => {
      const execution = { handler: 'purge', completedAt: new Date() } as Execution;
      failed.unshift(execution);
      return execution;
    },
  };
  const repositories: Partial<RepositoryStore> = {
    listUnpurged: async () => [{ id: 'shop', deletedAt } as Repository],
  };
  const chore = new QueuePurges(executions as ExecutionStore, repositories as RepositoryStore);
  const queuedAt: number[] = [];
  for (let halfMinutes = 0; halfMinutes < 12 * 60; halfMinutes++) {
    const before = failed.length;
    await chore.run();
    if (failed.length > before) queuedAt.push(halfMinutes / 2);
    jest.setSystemTime(Date.now() + MINUTE_MS / 2);
  }
  expect(queuedAt).toEqual([0, 0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 63.5, 123.5, 183.5, 243.5, 303.5]);
});

it('queues a purge at once when only other runs of the repository failed', async () => {
  const enqueue = jest.fn(async () => ({}) as Execution);
  const items = [{ handler: 'repository_sync', completedAt: new Date() } as Execution];
  const executions: Partial<ExecutionStore> = { list: async () => ({ items, total: 1 }), enqueue };
  const repositories: Partial<RepositoryStore> = {
    listUnpurged: async () => [{ id: 'shop', deletedAt } as Repository],
  };
  await new QueuePurges(executions as ExecutionStore, repositories as RepositoryStore).run();
  expect(enqueue).toHaveBeenCalledTimes(1);
});
