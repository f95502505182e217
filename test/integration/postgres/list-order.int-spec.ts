import { createExecutionStore, type Database } from '@adapters/postgres';
import {
  type Execution,
  type ExecutionFilter,
  EXECUTION_SORTS,
  FILE_SORTS,
  REPOSITORY_SORTS,
  SCHEDULE_SORTS,
  type SortedPageRequest,
  type ExecutionSort,
  type SortOf,
} from '@core/domain';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addRepository, newRepository, openStores, type Stores } from './fixtures.js';

type Reader = Pick<Database, 'query' | 'first'>;

let stores: Stores;
let repositoryId: string;
beforeAll(async () => {
  stores = await openStores();
  ({ id: repositoryId } = await addRepository(stores));
  await addRepositories();
  await addExecutions();
  await addFiles();
});
afterAll(() => stores.close());

/** Each has a schedule. The values are equal in pairs, and one of the nullable times is missing. */
async function addRepositories(): Promise<void> {
  const timing = { cronExpression: '0 * * * *', timezone: 'UTC', isActive: true, misfireGraceSeconds: 300 };
  for (let index = 0; index < 6; index += 1) {
    const pair = Math.floor(index / 2);
    const at = new Date(Date.UTC(2026, 0, 9 - pair));
    const projectPath = `group/${'bca'.charAt(pair)}`;
    const { id } = await stores.repositories.create(newRepository({ projectPath }));
    const schedule = await stores.schedules.create({ ...timing, repositoryId: id }, () => at);
    for (const [table, row] of [
      ['repositories', id],
      ['schedule_sessions', schedule.id],
    ])
      await stores.db.query(`UPDATE ${table} SET created_at = $2, updated_at = $2 WHERE id = $1`, [row, at]);
    if (index === 3) continue;
    await stores.db.query('UPDATE schedule_sessions SET last_sync_at = next_run_at WHERE id = $1', [
      schedule.id,
    ]);
    await stores.db.query(
      `INSERT INTO repository_indexes (repository_id, generation_id, last_sync_at)
        SELECT $1, id, $2 FROM index_generations WHERE status = 'active'`,
      [id, at],
    );
  }
  await stores.db.query(
    'UPDATE schedule_sessions SET is_active = false, next_run_at = NULL WHERE last_sync_at IS NULL',
  );
}

/** Several start in the same second, and every third never started. The first half ran on pods that ended then. */
async function addExecutions(): Promise<void> {
  // In batches: each ended row adds to the sums of the history when its transaction commits.
  for (let first = 1; first <= 20_000; first += 1_000) {
    await stores.db.query(
      `INSERT INTO schedule_execution_logs (repository_id, trigger, status, pod_name, queued_at, started_at, completed_at)
        SELECT $1, 'manual', 'cancelled', CASE WHEN n <= 10000 THEN 'ended' ELSE 'living' END || n % 4, '2026-01-01Z'::timestamptz + n / 2 * interval '1 s',
          CASE WHEN n % 3 > 0 THEN '2026-02-01Z'::timestamptz - n / 4 * interval '1 s' END, '2026-03-01Z'
          FROM generate_series($2::int, $2::int + 999) n`,
      [repositoryId, first],
    );
  }
  await stores.db.query('ANALYZE schedule_execution_logs');
}

async function addFiles(): Promise<void> {
  await stores.db.query(
    `INSERT INTO repository_files
        (repository_id, generation_id, path, mode, blob_sha, fingerprint, size_bytes, chunk_count, indexed_at)
      SELECT $1, g.id, 'f' || n, '100644', 'sha' || n, 'print', CASE WHEN n % 2 = 0 THEN n / 4 END, n % 3,
        CASE WHEN n % 2 = 0 THEN '2026-01-01Z'::timestamptz END
        FROM generate_series(1, 9) n, index_generations g WHERE g.status = 'active'`,
    [repositoryId],
  );
}

type List = (page: SortedPageRequest<never>) => Promise<{ items: unknown[]; total: number }>;

const LISTS: readonly (readonly [string, readonly string[], string, () => List])[] = [
  ['repositories', REPOSITORY_SORTS, 'id', () => (page) => stores.repositories.list({}, page)],
  ['schedules', SCHEDULE_SORTS, 'id', () => (page) => stores.schedules.list({}, page)],
  ['files', FILE_SORTS, 'path', () => (page) => stores.manifest.listFiles(repositoryId, {}, page)],
];

const property = (column: string): string =>
  column.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());

/** Missing values first, then times and numbers by value, equal ones by key. */
function compare(left: unknown, right: unknown): number {
  if (left === right) return 0;
  if (left === null || right === null) return left === null ? -1 : 1;
  const [one, two] = [left, right].map((value) => (value instanceof Date ? value.getTime() : value)) as [
    string,
    string,
  ];
  return one < two ? -1 : one > two ? 1 : 0;
}

async function everyPage(list: List, sort: string): Promise<Record<string, unknown>[]> {
  const rows: unknown[] = [];
  for (;;) {
    const page = { limit: 2, offset: rows.length, sort: sort as never };
    const { items, total } = await list(page);
    rows.push(...items);
    if (rows.length >= total) return rows as Record<string, unknown>[];
  }
}

describe.each(LISTS)('the list of %s', (_what, columns, key, listOf) => {
  it.each(columns.flatMap((column) => [column, `-${column}`]))(
    'sorted by %s, has every row once and in order over all pages',
    async (sort) => {
      const rows = await everyPage(listOf(), sort);
      const by = property(sort.replace('-', ''));
      const ordered = [...rows].sort(
        (left, right) => compare(left[by], right[by]) || compare(left[key], right[key]),
      );
      expect(rows.length).toBeGreaterThan(5);
      expect(new Set(rows.map((row) => row[key])).size).toBe(rows.length);
      const expected = sort.startsWith('-') ? ordered.reverse() : ordered;
      expect(rows.map((row) => row[key])).toEqual(expected.map((row) => row[key]));
    },
  );
});

describe('the list of executions', () => {
  const orders = EXECUTION_SORTS.flatMap((column) => [column, `-${column}`] as const);
  const listed = async (sort: SortOf<ExecutionSort> | undefined, offset = 0) =>
    (await stores.executions.list({}, { limit: 50, offset, ...(sort && { sort }) })).items;

  /** Explains the statement that finds the rows of a page. */
  async function planOf(filter: ExecutionFilter, sort: SortOf<ExecutionSort>): Promise<string> {
    const statements: [string, unknown[]][] = [];
    const recording = (to: Reader): Reader => ({
      ...to,
      query: (sql: string, values: readonly unknown[] = []) => {
        statements.push([sql, [...values]]);
        return to.query(sql, values);
      },
    });
    const db = Object.create(stores.db, {
      transaction: {
        value: <T>(work: (tx: Reader) => Promise<T>) => stores.db.transaction((tx) => work(recording(tx))),
      },
    }) as Database;
    await createExecutionStore(db).list(filter, { limit: 5, offset: 5, sort });
    // The last statement reads the rows of the page by their ids.
    const [sql, values] = statements.at(-2)!;
    const plan = await stores.db.transaction(async (tx) => {
      // In a large table rows of a pod that lie apart cost more than rows of all pods in turn, and no plan sorts.
      await tx.query('SET LOCAL random_page_cost = 1000');
      await tx.query('SET LOCAL enable_sort = off');
      return tx.query<Record<string, string>>(`EXPLAIN ${sql}`, values);
    });
    return plan.map((line) => line['QUERY PLAN']).join('\n');
  }

  it.each(orders)('sorted by %s, is read from an index without sorting more than one page', async (sort) => {
    const text = await planOf({}, sort);
    expect(text).toContain(sort.includes('started') ? '_started_at_id_idx' : '_queued_at_id_idx');
    // Above the index scan, only the page itself is sorted.
    expect(text.slice(text.indexOf('Limit'))).not.toMatch(/-> {2}(Incremental )?Sort /);
  });

  it.each(['queued_at', '-queued_at'] as const)(
    'of a pod sorted by %s, never walks through the executions of other pods',
    async (sort) => {
      const text = await planOf({ podName: 'ended1' }, sort);
      expect(text).toContain('_pod_name_queued_at_id_idx');
      expect(text).not.toMatch(/Filter: .*pod_name/);
      const { items, total } = await stores.executions.list(
        { podName: 'ended1' },
        { limit: 50, offset: 0, sort },
      );
      expect(total).toBe(2500);
      const times = items.map(({ queuedAt }) => queuedAt.getTime());
      expect(times).toEqual(
        [...times].sort((left, right) => (sort === 'queued_at' ? left - right : right - left)),
      );
      expect(new Set(items.map(({ podName }) => podName))).toEqual(new Set(['ended1']));
    },
  );

  it('of a repository with most executions, is read from the index of repositories', async () => {
    const text = await planOf({ repositoryId }, '-queued_at');
    expect(text).toContain('_repository_id_queued_at_id_');
    expect(text.slice(text.indexOf('Limit'))).not.toMatch(/-> {2}(Incremental )?Sort /);
  });

  it('sorted by start, descending, begins with the latest and ends with executions that never started', async () => {
    const startOf = ({ startedAt }: Execution) => startedAt?.getTime() ?? null;
    const down = (await listed('-started_at')).map(startOf);
    expect(down).not.toContain(null);
    expect(down).toEqual([...(down as number[])].sort((left, right) => right - left));
    expect((await listed('-started_at', 19_900)).map(startOf)).toEqual(Array(50).fill(null));
    const up = (await listed('started_at', 19_950)).map(({ id }) => id);
    expect(up).toEqual((await listed('-started_at')).map(({ id }) => id).reverse());
  });

  it('is sorted newest first by default', async () => {
    const rows = await listed(undefined);
    expect(rows).toEqual(await listed('-queued_at'));
    expect(rows[0]!.queuedAt.getTime()).toBeGreaterThan(rows.at(-1)!.queuedAt.getTime());
  });
});
