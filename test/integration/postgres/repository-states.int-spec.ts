import { type Database, RepositoryStates } from '@adapters/postgres';
import {
  REPOSITORY_STATES,
  type RepositoryState,
  type RepositoryStateName,
  zeroCounters,
} from '@core/domain';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { explainState } from '../../../apps/server/src/repository-states/explain-state.js';
import { addRepository, enqueue, openStores, startRun, type Stores } from './fixtures.js';

let stores: Stores;
let states: RepositoryStates;
const ids = {} as Record<RepositoryStateName, string>;

/** Makes a synced repository what its name says. */
const MAKE: Record<RepositoryStateName, (id: string) => Promise<unknown>> = {
  failing: (id) => end(id, 'failed', 'source_token_rejected', 'The host answered 401.'),
  retrying: (id) => requeued(id, 'source_unavailable'),
  drifting: (id) => setIndex(id, `last_drift = '{"files": 2, "points": 7}'`),
  missing: (id) => setRepository(id, 'missing_since = clock_timestamp()'),
  incomplete: (id) => end(id, 'partial', 'files_failed', '3 files failed.'),
  stale: async (id) => {
    await addSchedule(id, true);
    await setSchedule(id, `next_run_at = clock_timestamp() - interval '1 hour'`);
  },
  waiting: (id) => requeued(id, 'source_rate_limited'),
  running: (id) => startRun(stores, id),
  queued: (id) => enqueue(stores, id),
  new: (id) => setIndex(id, 'last_sync_at = NULL'),
  paused: (id) => addSchedule(id, false),
  synced: () => Promise.resolve(),
};

beforeAll(async () => {
  stores = await openStores();
  states = new RepositoryStates(stores.db);
  for (const [index, name] of REPOSITORY_STATES.entries()) {
    const group = index % 2 === 0 ? 'even' : 'odd';
    const { id } = await addRepository(stores, { projectPath: `${group}/${name}`, projectId: index + 1 });
    ids[name] = id;
    await stores.db.query(
      `INSERT INTO repository_indexes (repository_id, generation_id, last_sync_at)
        SELECT $1, id, clock_timestamp() FROM index_generations WHERE status = 'active'`,
      [id],
    );
    await MAKE[name](id);
  }
});
afterAll(() => stores.close());

const set = (table: string) => (id: string, change: string) =>
  stores.db.query(
    `UPDATE ${table} SET ${change} WHERE ${table === 'repositories' ? 'id' : 'repository_id'} = $1`,
    [id],
  );
const setIndex = set('repository_indexes');
const setRepository = set('repositories');
const setSchedule = set('schedule_sessions');

const addSchedule = (repositoryId: string, isActive: boolean) =>
  stores.schedules.create(
    { repositoryId, cronExpression: '0 * * * *', timezone: 'UTC', isActive, misfireGraceSeconds: 300 },
    (now) => new Date(now.getTime() + 60_000),
  );

async function end(id: string, status: 'failed' | 'partial', code: string, message: string): Promise<void> {
  const run = await startRun(stores, id);
  await stores.executions.finish(run, {
    ...{ status, errorCode: code, errorMessage: message, fromCommit: null, toCommit: null },
    counters: zeroCounters(),
  });
}

/** Its first attempt failed, and the next one starts in an hour. */
async function requeued(id: string, code: string): Promise<void> {
  await enqueue(stores, id);
  await stores.db.query(
    `UPDATE schedule_execution_logs SET attempt = 2, failures = 1, error_code = $2, error_message = 'Later.',
      available_at = clock_timestamp() + interval '1 hour' WHERE repository_id = $1`,
    [id, code],
  );
}

const all = { limit: 50, offset: 0 };
const names = (rows: readonly RepositoryState[]) => rows.map(({ state }) => state);

describe('the states of repositories', () => {
  it('give each repository the state of its circumstances, most urgent first', async () => {
    const { items, total } = await states.list({}, all);
    expect(items.map(({ projectPath, state }) => [projectPath.split('/')[1], state])).toEqual(
      REPOSITORY_STATES.map((name) => [name, name]),
    );
    expect(total).toBe(REPOSITORY_STATES.length);
  });

  it('explain themselves with a reason, and name what to do wherever a person can do something', async () => {
    const page = await states.list({}, all);
    const explained = Object.fromEntries(page.items.map((row) => [row.state, explainState(row, page)]));
    expect(explained).toMatchObject({
      failing: { reason: 'The host answered 401.', remedy: expect.stringContaining('token') },
      retrying: { reason: 'Later.', until: expect.any(Date), errorCode: 'source_unavailable' },
      drifting: { reason: expect.stringContaining('2 files and 7 points'), remedy: expect.any(String) },
      missing: { since: expect.any(Date), remedy: expect.any(String) },
      incomplete: { reason: '3 files failed.', remedy: expect.any(String) },
      stale: { reason: expect.stringContaining('due'), since: expect.any(Date) },
      waiting: { errorCode: 'source_rate_limited', until: expect.any(Date) },
      queued: { reason: expect.stringContaining('worker') },
    });
  });

  it('are counted under all filters except the one of states, and paged', async () => {
    const page = await states.list(
      { states: ['failing', 'synced'], group: '/EVEN/' },
      { limit: 1, offset: 0 },
    );
    expect(names(page.items)).toEqual(['failing']);
    expect(page.total).toBe(1);
    expect(page.counts).toMatchObject({ failing: 1, drifting: 1, retrying: 0, synced: 0 });
    expect(names((await states.list({ pathPart: 'SYNC' }, all)).items)).toEqual(['synced']);
    expect((await states.list({ group: 'eve' }, all)).total).toBe(0);
  });

  it('show only what the caller may see', async () => {
    const page = await states.list({ visible: [ids.stale] }, all);
    expect(names(page.items)).toEqual(['stale']);
    expect(page.counts).toMatchObject({ stale: 1, failing: 0 });
    const wanted = await states.list({ visible: [ids.stale, ids.new], ids: [ids.new, ids.failing] }, all);
    expect(names(wanted.items)).toEqual(['new']);
    expect(wanted.counts).toMatchObject({ stale: 0, new: 1, failing: 0 });
  });

  it('are sorted by the chunks of their folders, and otherwise read the folders of one page only', async () => {
    await stores.db.query(
      `INSERT INTO repository_folders (repository_id, generation_id, path, chunk_count,
          file_count, indexed_file_count, failed_file_count, sized_file_count, size_bytes)
        SELECT id, generation, '', CASE id WHEN $1 THEN 7 ELSE 3 END, 1, 1, 0, 1, 9
        FROM unnest($2::uuid[]) AS id, (SELECT id AS generation FROM index_generations WHERE status = 'active') AS g`,
      [ids.paused, [ids.paused, ids.new]],
    );
    const statements: [sql: string, values: unknown[]][] = [];
    const recorded = new RepositoryStates({
      first: (sql: string) => stores.db.first(sql),
      query: (sql: string, values: unknown[]) => {
        statements.push([sql, values]);
        return stores.db.query(sql, values);
      },
    } as unknown as Database);
    const readFolders = () =>
      Promise.all(
        statements.splice(0).map(async ([sql, values]) => {
          const plan = await stores.db.query<object>(`EXPLAIN ${sql}`, values);
          return JSON.stringify(plan).includes('repository_folders');
        }),
      );
    const { items } = await recorded.list({}, { limit: 2, offset: 0, sort: '-chunk_count' });
    expect(items.map(({ state, chunkCount }) => [state, chunkCount])).toEqual([
      ['paused', 7],
      ['new', 3],
    ]);
    expect(await readFolders()).toEqual([false, true, true]);
    await recorded.list({}, { limit: 2, offset: 0 });
    expect(await readFolders()).toEqual([false, false, true]);
  });

  it('leave failing with the next sync that completes, and not with a late older end', async () => {
    const { id } = await addRepository(stores, { projectPath: 'later/one', projectId: 99 });
    const stateOf = async () => names((await states.list({ ids: [id] }, all)).items);
    await end(id, 'failed', 'source_unavailable', 'Down.');
    expect(await stateOf()).toEqual(['failing']);
    await stores.db.query(
      `INSERT INTO schedule_execution_logs (repository_id, trigger, status, queued_at, completed_at)
        VALUES ($1, 'manual', 'completed', now() - interval '2 h', now() - interval '1 h')`,
      [id],
    );
    expect(await stateOf()).toEqual(['failing']);
    await stores.db.query(
      `INSERT INTO schedule_execution_logs (repository_id, trigger, status, completed_at)
        VALUES ($1, 'manual', 'completed', clock_timestamp())`,
      [id],
    );
    expect(await stateOf()).toEqual(['new']);
  });
});
