import { pMapIterable } from 'p-map';
import {
  groupsOf,
  throwIfAborted,
  type LaneQuery,
  type PointPayload,
  type ScannedPage,
  type ScanQuery,
  type SearchHit,
} from '@core/domain';
import { type Database } from '../sql/database.js';
import { type CollectionMemory } from './memory/collection-memory.js';
import { sequencesOf } from './memory/signature.js';
import { type Scored } from './memory/top-k.js';
import { assertLength } from './collections.js';
import { CollectionLoader, POINTS_OF_IDS } from './load-points.js';
import { normalised } from './upsert.js';

/** Two pages of texts of 7,000 characters have some 5 MB. */
const POINTS_PER_SCAN = 300;
/** Their texts are signed without a break: some 20 ms with texts of 7,000 characters. */
const POINTS_PER_SIGNING = 200;

interface PointRow {
  id: string;
  payload: PointPayload;
}

/** Searches the points of one collection in memory. */
export class CollectionSearch {
  private readonly loader: CollectionLoader;
  private signing: Promise<void> | null = null;

  constructor(
    private readonly db: Database,
    private readonly collection: string,
  ) {
    this.loader = new CollectionLoader(db, collection);
  }

  /** Points that this process deleted; those of other processes are noticed when they are found. */
  remove(ids: readonly string[]): void {
    for (const id of ids) this.loader.loaded?.remove(id);
  }

  /** @returns the hits, and how many points were compared; null: the collection is missing. */
  async search(
    query: LaneQuery,
    signal: AbortSignal,
  ): Promise<{ hits: SearchHit[]; compared: number } | null> {
    const memory = await this.loader.current(signal);
    if (memory === null) return null;
    const vector = query.vector === undefined ? null : normalised(query.vector);
    if (vector) assertLength(this.collection, memory.dimensions, vector.length);
    for (;;) {
      throwIfAborted(signal);
      const { limit, filter, terms, lane } = query;
      const dense = vector && lane !== 'lexical' ? memory.dense(vector, limit, filter) : [];
      const lexical = terms && lane !== 'dense' ? memory.lexical(terms, limit, filter) : [];
      const [hits, missing] = await this.withPayloads(dense, lexical);
      if (missing.length === 0) return { hits, compared: memory.size };
      // Deleted by another process: others take their places.
      for (const id of missing) memory.remove(id);
    }
  }

  /** Pages of points; see {@link VectorStore.scan}. Ids come from memory, texts from the table. */
  async *scan(
    { filter, terms, literal, ignoreCase, known }: ScanQuery,
    signal: AbortSignal,
  ): AsyncGenerator<ScannedPage> {
    const memory = await this.loader.current(signal);
    if (memory === null) return;
    const sequences = literal === null ? null : sequencesOf(literal, ignoreCase);
    const ids = memory.having(terms, filter, sequences).filter((id) => !known.has(id));
    // Signatures leave so few wrong texts that PostgreSQL would decompress each text twice for nothing.
    const isSifted = sequences !== null && memory.unsigned(1).length === 0;
    const part = literal === null || isSifted ? null : soughtInJson(literal, ignoreCase);
    const read = async (page: string[]): Promise<ScannedPage> => {
      throwIfAborted(signal);
      const points = await this.db.query<PointRow>(
        `SELECT id, payload FROM ${POINTS_OF_IDS}
          WHERE ($3::text IS NULL OR strpos(${ignoreCase ? 'lower(payload::text COLLATE "C")' : 'payload::text'}, $3) > 0)`,
        [this.collection, page, part],
      );
      return { points, examined: page.length };
    };
    try {
      // PostgreSQL reads the next page while the caller looks at this one.
      yield* pMapIterable(groupsOf(ids, POINTS_PER_SCAN), read, { concurrency: 1, backpressure: 2 });
    } finally {
      if (terms.length === 0) this.sign(memory);
    }
  }

  /** In the background: later scans of all points read fewer texts. */
  private sign(memory: CollectionMemory): void {
    // After a failure the next scan goes on.
    this.signing ??= this.signAll(memory)
      .catch(() => undefined)
      .finally(() => (this.signing = null));
  }

  private async signAll(memory: CollectionMemory): Promise<void> {
    while (this.loader.loaded === memory) {
      const places = memory.unsigned(POINTS_PER_SIGNING);
      if (places.length === 0) return;
      const ids = places.map(({ segment, slot }) => segment.ids[slot]!);
      const payloads = await this.payloadsOf(ids);
      // A point that was written again since has another place; a deleted one has no text.
      places.forEach((place, index) => memory.sign(place, payloads.get(ids[index]!)?.text ?? ''));
    }
  }

  private async withPayloads(
    dense: readonly Scored[],
    lexical: readonly Scored[],
  ): Promise<[SearchHit[], string[]]> {
    const denseScores = new Map(dense.map(({ id, score }) => [id, score]));
    const lexicalScores = new Map(lexical.map(({ id, score }) => [id, score]));
    const ids = [...new Set([...denseScores.keys(), ...lexicalScores.keys()])];
    const payloads = await this.payloadsOf(ids);
    const hits = ids.flatMap((id) => {
      const payload = payloads.get(id);
      const scores = { dense: denseScores.get(id) ?? null, lexical: lexicalScores.get(id) ?? null };
      return payload === undefined ? [] : [{ id, scores, payload }];
    });
    return [hits, ids.filter((id) => !payloads.has(id))];
  }

  private async payloadsOf(ids: readonly string[]): Promise<Map<string, PointPayload>> {
    const rows = await this.db.query<PointRow>(`SELECT id, payload FROM ${POINTS_OF_IDS}`, [
      this.collection,
      ids,
    ]);
    return new Map(rows.map(({ id, payload }) => [id, payload]));
  }
}

/**
 * How the literal stands in the stored JSON; null: it cannot be sought there. Not in the text itself: the server refuses half
 * a surrogate pair. Its lower case of other letters than those of ASCII depends on the locale.
 */
function soughtInJson(literal: string, ignoreCase: boolean): string | null {
  if (!literal.isWellFormed() || (ignoreCase && /[^\0-\x7f]/.test(literal))) return null;
  const inJson = JSON.stringify(literal).slice(1, -1);
  return ignoreCase ? inJson.toLowerCase() : inJson;
}
