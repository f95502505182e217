import { groupsOf, throwIfAborted, untilAborted } from '@core/domain';
import { type Database, type Queryable } from '../sql/database.js';
import { collectionOf } from './collections.js';
import { CollectionMemory } from './memory/collection-memory.js';
import { type IndexedPoint } from './memory/segment.js';
import { termsOfBytes, vectorOfBytes } from './vector-bytes.js';

/**
 * The points of the collection $1 that have one of the distinct ids $2, each by the primary key. A plain join is worse: for more
 * than some 150 ids PostgreSQL reads the whole table, and applies another condition on the text to all of it (300 ms for 20,000
 * points instead of 5). With `id = ANY($2)` it walks through all of `vector_points_file_idx` until the table's first ANALYZE.
 */
export const POINTS_OF_IDS = `unnest($2::uuid[]) AS wanted (point_id) CROSS JOIN LATERAL
    (SELECT * FROM vector_points WHERE collection = $1 AND id = point_id LIMIT 1) AS point`;

/** Between two pages other work has its turn: a page of 256 takes about 20 ms. Its vectors of 768 dimensions take 2 MB. */
const POINTS_PER_PAGE = 256;

interface Loaded {
  incarnation: string;
  memory: CollectionMemory;
  /** Rows of this and later transactions may be missing. */
  readUntil: string;
}

interface Written {
  until: string;
  points: [id: string, writtenBy: string][];
}

interface PointRow {
  id: string;
  repositoryId: string;
  path: string;
  directories: string[];
  language: string | null;
  vector: Buffer;
  terms: Buffer | null;
  writtenBy: string;
}

const COLUMNS = 'id, repository_id, path, directories, language, vector, terms, written_by::text';

/** Every transaction before it has ended: a statement sees its rows. */
const FIRST_UNENDED = 'pg_snapshot_xmin(pg_current_snapshot())::text';

/**
 * Keeps the points of one collection in memory. Before each search it reads what was written since the last one, so a
 * search sees every write that ended before it began, also of other processes.
 */
export class CollectionLoader {
  private state: Loaded | null = null;
  private reading: Promise<unknown> = Promise.resolve();
  private next: Promise<CollectionMemory | null> | null = null;

  constructor(
    private readonly db: Database,
    private readonly collection: string,
  ) {}

  /** The points of the last read. Null: nothing was read, or the collection was missing. */
  get loaded(): CollectionMemory | null {
    return this.state?.memory ?? null;
  }

  /**
   * The points of a read that begins after this call. Calls that wait share a read. It goes on when the signal fires: the first
   * read of a large collection may take longer than a request may, and the requests after it need it too.
   */
  async current(signal: AbortSignal): Promise<CollectionMemory | null> {
    throwIfAborted(signal);
    this.next ??= this.readAfter(this.reading);
    return untilAborted(this.next, signal);
  }

  private async readAfter(former: Promise<unknown>): Promise<CollectionMemory | null> {
    await former;
    this.next = null;
    const read = this.read();
    // Searches that wait for this read get its failure; the next read tries again.
    this.reading = read.catch(() => undefined);
    return read;
  }

  private async read(): Promise<CollectionMemory | null> {
    const { state } = this;
    const written = state === null || state.memory.isWasteful ? null : await this.writtenSince(state);
    if (state === null || written === null) return this.readAnew();
    const { until, points } = written;
    await this.readPoints(
      points.filter(([id, writtenBy]) => !state.memory.isKnown(id, writtenBy)).map(([id]) => id),
      state.memory,
    );
    this.state = { ...state, readUntil: until };
    return state.memory;
  }

  /** One statement, so it sees one state of the database. Null: the collection is missing or another one of the same name. */
  private async writtenSince({ incarnation, readUntil }: Loaded): Promise<Written | null> {
    const found = await this.db.first<{
      incarnation: string;
      until: string;
      points: Written['points'] | null;
    }>(
      `SELECT incarnation, ${FIRST_UNENDED} AS until,
        (SELECT json_agg(json_build_array(id, written_by::text)) FROM vector_points
          WHERE collection = $1 AND written_by >= $2::xid8) AS points
        FROM vector_collections WHERE name = $1`,
      [this.collection, readUntil],
    );
    return found?.incarnation === incarnation ? { until: found.until, points: found.points ?? [] } : null;
  }

  private async readAnew(): Promise<CollectionMemory | null> {
    this.state = null;
    return this.db.snapshot(async (tx) => {
      const found = await collectionOf(tx, this.collection);
      if (found === null) return null;
      const [{ until }] = (await tx.query(`SELECT ${FIRST_UNENDED} AS until`)) as [{ until: string }];
      const memory = new CollectionMemory(found.dimensions);
      await this.readAll(tx, memory);
      this.state = { incarnation: found.incarnation, memory, readUntil: until };
      return memory;
    });
  }

  /** One pass over the table: the pages of a cursor are not looked up by their ids. */
  private async readAll(tx: Queryable, memory: CollectionMemory): Promise<void> {
    await tx.query(
      `DECLARE all_points NO SCROLL CURSOR FOR SELECT ${COLUMNS} FROM vector_points WHERE collection = $1`,
      [this.collection],
    );
    for (;;) {
      const rows = await tx.query<PointRow>(`FETCH ${POINTS_PER_PAGE} FROM all_points`);
      if (rows.length === 0) return;
      for (const row of rows) memory.put(pointOf(row), row.writtenBy);
    }
  }

  /** A point that was written again meanwhile is read as it is now; a deleted one is not. */
  private async readPoints(ids: readonly string[], memory: CollectionMemory): Promise<void> {
    const select = `SELECT ${COLUMNS} FROM ${POINTS_OF_IDS}`;
    for (const page of groupsOf(ids, POINTS_PER_PAGE)) {
      const rows = await this.db.query<PointRow>(select, [this.collection, page]);
      for (const row of rows) memory.put(pointOf(row), row.writtenBy);
    }
  }
}

function pointOf({ id, vector, terms, repositoryId, path, directories, language }: PointRow): IndexedPoint {
  return {
    id,
    file: { repositoryId, path, directories, language },
    vector: vectorOfBytes(vector),
    terms: terms && termsOfBytes(terms),
  };
}
