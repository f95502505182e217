import { SchedulerRegistry } from '@nestjs/schedule';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { RepotideError, type Dispatcher } from '@core/domain';
import { Metrics } from '../../../apps/server/src/metrics/metrics.js';
import { SchedulerService } from '../../../apps/server/src/scheduler/scheduler.service.js';
import { TickTimers } from '../../../apps/server/src/scheduler/tick-timers.js';
import { silentLogger } from '../../support/silent-logger.js';
import { addRepository, openStores, type Stores } from '../postgres/fixtures.js';

const CONCURRENCY = 5;
const DUE = 12;

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

it('every due tick is claimed while the queue is down, and the queue is tried once', async () => {
  const everyMinute = {
    cronExpression: '* * * * *',
    timezone: 'UTC',
    isActive: true,
    misfireGraceSeconds: 300,
  };
  for (let count = 0; count < DUE; count += 1) {
    const { id: repositoryId } = await addRepository(stores);
    await stores.schedules.create({ ...everyMinute, repositoryId }, (now) => new Date(now.getTime() - 1000));
  }
  let asked = 0;
  const dispatcher: Dispatcher = {
    dispatch: () => {
      asked += 1;
      return Promise.reject(new RepotideError('temporary', 'queue_unavailable', 'The queue is down.'));
    },
    depth: () => Promise.resolve(0),
  };
  const config = {
    roles: ['scheduler'],
    schedule: { pollSeconds: 3600 },
    worker: { concurrency: CONCURRENCY },
  } as unknown as ConstructorParameters<typeof SchedulerService>[0];
  const clock = { now: () => new Date(), monotonicMs: () => performance.now() };
  const scheduler = new SchedulerService(
    config,
    silentLogger,
    stores.schedules,
    dispatcher,
    { subscribe: () => () => undefined, publish: () => undefined },
    new Metrics(),
    new TickTimers(new SchedulerRegistry(), clock),
  );
  await scheduler.onApplicationBootstrap();
  scheduler.onModuleDestroy();
  await scheduler.beforeApplicationShutdown();
  const { total } = await stores.executions.list({ status: ['queued'] }, { limit: 1, offset: 0 });
  expect(total).toBe(DUE);
  expect(asked).toBe(1);
});
