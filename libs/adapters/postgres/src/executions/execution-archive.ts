import {
  type Execution,
  type ExecutionArchive,
  type ExecutionFile,
  type ExecutionFilter,
} from '@core/domain';
import { columnsOf, selectList, uuidOrNull } from '../sql/columns.js';
import { type Database } from '../sql/database.js';
import { SELECT_EXECUTION } from '../sql/execution-columns.js';
import { conditionsOf } from './execution-list.js';
import { Conditions, selectPage } from '../sql/page.js';

/** About 800 bytes a row: a page is less than a megabyte. */
const PAGE_SIZE = 1000;

const SELECT_FILE = selectList(
  columnsOf<ExecutionFile>({ path: true, status: true, errorCode: true, message: true }),
);

/** Executions in bulk, and their files. */
export function createExecutionArchive(db: Database): ExecutionArchive {
  return {
    stream: (filter) => stream(db, filter),
    listFiles(executionId, { status }, page) {
      const where = new Conditions()
        .add('execution_id = ?', uuidOrNull(executionId))
        .add('status = ?', status);
      const list = { select: SELECT_FILE, from: 'execution_file_errors', where, orderBy: 'path' };
      return selectPage(db, list, page);
    },
  };
}

/** Times are text, because a `Date` would lose microseconds and the paging would then skip rows. */
interface Cursor {
  cursorQueuedAt: string;
}

/**
 * Keyset paging: each page starts after the last row of the one before, so that no page costs more than the
 * first.
 */
async function* stream(db: Database, filter: ExecutionFilter): AsyncIterable<Execution[]> {
  const where = conditionsOf(filter);
  const next = where.values.length + 1;
  let after: [string | null, string | null] = [null, null];
  for (;;) {
    const rows: (Execution & Cursor)[] = await db.query<Execution & Cursor>(
      `SELECT ${SELECT_EXECUTION}, queued_at::text AS "cursorQueuedAt" FROM schedule_execution_logs e
        WHERE ${where.sql} AND ($${next}::timestamptz IS NULL OR (queued_at, id) < ($${next}, $${next + 1}::uuid))
        ORDER BY queued_at DESC, id DESC LIMIT ${PAGE_SIZE}`,
      [...where.values, ...after],
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < PAGE_SIZE) return;
    after = [last.cursorQueuedAt, last.id];
  }
}
