import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  connectDatabase,
  createRepositoryStore,
  createScheduleStore,
  type Database,
} from '@adapters/postgres';
import { nextTick, parseCron } from '@core/schedules';
import { type Schedule } from '@core/domain';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { silentLogger } from '../../support/silent-logger.js';
import { newRepository } from './fixtures.js';

let testDatabase: TestDatabase;
let database: Database;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  database = await connectDatabase({ url: testDatabase.url, logger: silentLogger });
});
afterEach(async () => {
  await database.close();
  await testDatabase.drop();
});

const next = ({ cronExpression, timezone }: Schedule, now: Date): Date | null =>
  nextTick(parseCron(cronExpression), timezone, now);

it('schedules inserted by SQL get their first tick, and unreadable ones are reported', async () => {
  const repository = await createRepositoryStore(database).create(newRepository());
  await database.query(
    `INSERT INTO schedule_sessions (repository_id, cron_expression) VALUES ($1, '*/5 * * * *'), ($1, 'every day')`,
    [repository.id],
  );
  await database.query(
    `INSERT INTO schedule_sessions (repository_id, cron_expression, is_active) VALUES ($1, '0 0 * * *', false)`,
    [repository.id],
  );
  const store = createScheduleStore(database);
  const problems = await store.setFirstTicks(next);
  expect(problems).toMatchObject([{ code: 'schedule_undecidable' }]);
  const upcoming = await store.listUpcoming(1000);
  expect(upcoming).toHaveLength(1);
  expect(upcoming[0]?.nextRunAt?.getTime()).toBeGreaterThan((await store.now()).getTime());
  expect(await store.setFirstTicks(next)).toHaveLength(1);
  expect(await store.listUpcoming(1000)).toEqual(upcoming);
});

it('another schedule gets its first tick even if many are unreadable or never due', async () => {
  const repository = await createRepositoryStore(database).create(newRepository());
  await database.query(
    `INSERT INTO schedule_sessions (id, repository_id, cron_expression)
      SELECT lpad(number::text, 32, '0')::uuid, $1, CASE WHEN number % 2 = 0 THEN 'every day' ELSE '0 0 30 2 *' END
      FROM generate_series(1, 150) AS number`,
    [repository.id],
  );
  await database.query(
    `INSERT INTO schedule_sessions (id, repository_id, cron_expression)
      SELECT lpad(to_hex(number + 1000), 32, 'f')::uuid, $1, '* * * * *' FROM generate_series(1, 250) AS number`,
    [repository.id],
  );
  const store = createScheduleStore(database);
  const problems = await store.setFirstTicks(next);
  expect(new Set(problems.map(({ details }) => details['schedule_id'])).size).toBe(problems.length);
  expect(problems.length).toBeGreaterThanOrEqual(75);
  expect(await store.listUpcoming(1000)).toHaveLength(250);
});
