import { createHistoryKeeper } from '@adapters/postgres';
import { type HistoryKeeper, RepotideError } from '@core/domain';
import { SoleLeader } from '@adapters/memory';
import { loadConfig } from '@platform/config';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HistoryChoresService } from '../../../apps/server/src/history/history-chores.service.js';
import { CapturedLog } from '../../support/captured-log.js';
import { openStores, type Stores } from './fixtures.js';
import { addOwners, addRows } from './history-rows.js';

const DAY_MS = 86_400_000;

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
  await addOwners(stores);
  await addRows(stores, 3000, new Date(Date.now() - 91 * DAY_MS));
});
afterAll(() => stores.close());

const rowsIn = async (table: string): Promise<number> =>
  (await stores.db.query<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`))[0]!.rows;

function chores(keeper: HistoryKeeper, leader = new SoleLeader('pod-a')) {
  const log = new CapturedLog();
  const config = loadConfig({ EXECUTION_RETENTION_DAYS: '45', EXECUTION_RETENTION_MIN_ROWS: '3' });
  return { service: new HistoryChoresService(config, log, keeper, leader), log };
}

describe('the chores of history', () => {
  it('are the leader’s', async () => {
    const leader = new SoleLeader('pod-a');
    await leader.stepDown();
    await chores(createHistoryKeeper(stores.db), leader).service.round();
    expect(await rowsIn('history_pending')).toBe(3000);
  });

  it('add what ended to the sums, and delete by the settings until nothing is left to delete', async () => {
    const { service, log } = chores(createHistoryKeeper(stores.db));
    await service.round();
    expect(await rowsIn('history_pending')).toBe(0);
    await service.round();
    const left = await rowsIn('schedule_execution_logs');
    expect(left).toBeGreaterThan(1400);
    expect(left).toBeLessThan(1600);
    expect(log.lines.map(({ message, fields }) => [message, fields.deleted])).toEqual([
      ['old executions deleted', 3000 - left],
    ]);
  });

  it('come again when they failed', async () => {
    let calls = 0;
    const broken: HistoryKeeper = {
      fold: () => {
        calls += 1;
        return Promise.reject(new RepotideError('temporary', 'database_unreachable', 'gone'));
      },
      deleteOld: () => Promise.resolve(0),
    };
    const { service, log } = chores(broken);
    await service.round();
    await service.round();
    expect(calls).toBe(2);
    expect(log.lines.map(({ level, fields }) => [level, fields.error_code])).toEqual([
      ['warn', 'database_unreachable'],
      ['warn', 'database_unreachable'],
    ]);
  });
});
