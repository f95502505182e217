import { throwIfAborted, type PointPayload, type SearchFilter, type SearchHit } from '@core/domain';
import { type Queryable } from '../sql/database.js';
import { Conditions } from '../sql/page.js';
import { dotWithBytes } from './vector-bytes.js';
import { assertFits } from './collections.js';
import { TopK } from './top-k.js';
import { normalised } from './upsert.js';

/** Bounds the memory of a search: about 3 MB with vectors of 768 dimensions. */
const VECTORS_PER_PAGE = 1_000;

export interface SearchRequest {
  collection: string;
  vector: Float32Array;
  limit: number;
  filter: SearchFilter;
}

/**
 * Compares the vector with every point that passes the filter, a page at a time; run within a transaction, which
 * holds the cursor. @returns the hits, best first, and how many points were compared.
 */
export async function searchPoints(
  tx: Queryable,
  request: SearchRequest,
  signal: AbortSignal,
): Promise<{ hits: SearchHit[]; compared: number }> {
  const { collection, limit } = request;
  await assertFits(tx, collection, [request.vector]);
  const vector = normalised(request.vector);
  const where = conditionsOf(request);
  await tx.query(
    `DECLARE candidates NO SCROLL CURSOR FOR SELECT id, vector FROM vector_points WHERE ${where.sql}`,
    where.values,
  );
  const top = new TopK(limit);
  let compared = 0;
  for (;;) {
    throwIfAborted(signal);
    const page = await tx.query<{ id: string; vector: Buffer }>(`FETCH ${VECTORS_PER_PAGE} FROM candidates`);
    for (const { id, vector: bytes } of page) top.offer({ id, score: dotWithBytes(vector, bytes) });
    compared += page.length;
    if (page.length < VECTORS_PER_PAGE) break;
  }
  throwIfAborted(signal);
  return { hits: await withPayloads(tx, collection, top), compared };
}

function conditionsOf({ collection, filter }: SearchRequest): Conditions {
  const { repositoryIds, language } = filter;
  const prefix = filter.pathPrefix?.replace(/^\/+|\/+$/g, '') ?? '';
  return new Conditions()
    .add('collection = ?', collection)
    .add('repository_id = ANY(?::text[])', repositoryIds?.length ? [...repositoryIds] : undefined)
    .add('(path = ? OR directories @> ARRAY[?::text])', prefix === '' ? undefined : prefix)
    .add('language = ?', language);
}

async function withPayloads(tx: Queryable, collection: string, top: TopK): Promise<SearchHit[]> {
  const best = top.bestFirst();
  const rows = await tx.query<{ id: string; payload: PointPayload }>(
    `SELECT id, payload FROM vector_points WHERE collection = $1 AND id = ANY($2::uuid[])`,
    [collection, best.map(({ id }) => id)],
  );
  const payloads = new Map(rows.map(({ id, payload }) => [id, payload]));
  return best.flatMap(({ id, score }) => {
    const payload = payloads.get(id);
    // The point was deleted after the comparison.
    return payload === undefined ? [] : [{ score, payload }];
  });
}
