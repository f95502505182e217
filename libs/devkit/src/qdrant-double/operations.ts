import { changeAliases, deleteAliasesOf, listAliases, type Aliases } from './aliases.js';
import { byId, DoubleCollection, normaliseId, type DoublePoint, type VectorParams } from './collection.js';
import { UnsupportedFeature, QdrantFailure } from './failure.js';
import { type FilterDocument, type PointId } from './filter.js';
import { isSparse } from './sparse.js';
import { type StrictMode } from './strict-mode.js';
import { type WriteQueue } from './write-queue.js';

/** The state that the operations use. */
export interface DoubleState {
  version: string;
  strictMode: StrictMode;
  refusesFacets: boolean;
  collections: Map<string, DoubleCollection>;
  aliases: Aliases;
  writes: WriteQueue;
}

interface OperationRequest {
  collectionName: string;
  vectorName: string;
  query: Record<string, unknown>;
  body: Record<string, unknown>;
}

type Operation = (state: DoubleState, request: OperationRequest) => unknown;

/** By operationId; each returns the `result` of the envelope (`root` and `readyz` return the whole answer). */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  root: ({ version }) => ({ title: 'qdrant - vector search engine', version, commit: null }),
  readyz: () => 'all shards are ready',
  get_collections: ({ collections }) => ({ collections: [...collections.keys()].map((name) => ({ name })) }),
  get_collection: (state, request) => infoOf(collectionOf(state, request)),
  create_collection: createCollection,
  update_collection: updateCollection,
  delete_collection: deleteCollection,
  get_collections_aliases: ({ aliases }) => ({ aliases: listAliases(aliases) }),
  update_aliases: ({ collections, aliases }, { body }) =>
    changeAliases(collections, aliases, body['actions'] as Parameters<typeof changeAliases>[2]),
  create_field_index: createFieldIndex,
  upsert_points: upsertPoints,
  delete_points: deletePoints,
  scroll_points: scrollPoints,
  count_points: countPoints,
  facet: facetPoints,
  query_points: queryPoints,
  query_batch_points: queryBatchPoints,
  create_vector_name: createVectorName,
  update_vectors: updateVectors,
};

function collectionOf(state: DoubleState, { collectionName }: OperationRequest): DoubleCollection {
  const collection = state.collections.get(state.aliases.get(collectionName) ?? collectionName);
  if (collection === undefined) {
    throw new QdrantFailure(404, `Not found: Collection \`${collectionName}\` doesn't exist!`);
  }
  return collection;
}

function deleteCollection({ collections, aliases }: DoubleState, request: OperationRequest): boolean {
  deleteAliasesOf(aliases, request.collectionName);
  return collections.delete(request.collectionName);
}

function createCollection(state: DoubleState, { collectionName, body }: OperationRequest): true {
  if (state.collections.has(collectionName) || state.aliases.has(collectionName)) {
    throw new QdrantFailure(409, `Wrong input: Collection \`${collectionName}\` already exists!`);
  }
  const { vectors, sparse_vectors: sparse, metadata, strict_mode_config: strictMode } = body;
  if (typeof vectors !== 'object' || vectors === null || !('size' in vectors)) {
    throw new UnsupportedFeature('named vectors');
  }
  const stored = knows(state, 16) ? (metadata as Record<string, unknown> | undefined) : undefined;
  const limits = { ...state.strictMode, ...(strictMode as StrictMode | undefined) };
  const collection = new DoubleCollection(vectors as VectorParams, stored ?? null, limits);
  for (const [name, params] of Object.entries(sparse ?? {}))
    collection.sparseVectors.set(name, params as object);
  state.collections.set(collectionName, collection);
  return true;
}

/** Merges the metadata. Named vectors have their own operation. */
function updateCollection(state: DoubleState, request: OperationRequest): true {
  const collection = collectionOf(state, request);
  const { metadata, sparse_vectors: sparse, ...others } = request.body;
  const [other] = Object.keys(others);
  if (other !== undefined) throw new UnsupportedFeature(`update of ${other}`);
  for (const name of Object.keys(sparse ?? {})) {
    if (collection.sparseVectors.has(name)) throw new UnsupportedFeature('update of a sparse vector');
    throw new QdrantFailure(400, `Wrong input: Not existing vector name error: ${name}`);
  }
  if (knows(state, 16) && typeof metadata === 'object')
    collection.metadata = { ...collection.metadata, ...metadata };
  return true;
}

function createFieldIndex(state: DoubleState, request: OperationRequest): unknown {
  const collection = collectionOf(state, request);
  const { field_name: field, field_schema: schema } = request.body;
  if (!collection.indexes.has(String(field))) collection.strict.newIndex(collection.indexes.size);
  const params = typeof schema === 'string' ? { type: schema } : (schema as Record<string, unknown>);
  return state.writes.write(request.query['wait'] === true, () => {
    collection.indexes.set(String(field), params);
  });
}

function upsertPoints(state: DoubleState, request: OperationRequest): unknown {
  const { points, update_filter: updateFilter, update_mode: mode } = request.body;
  if (!Array.isArray(points)) throw new UnsupportedFeature('column-oriented batches');
  if (mode !== undefined) throw new UnsupportedFeature('update_mode');
  // Servers before 1.16 ignore unknown fields.
  const filter = knows(state, 16) ? (updateFilter as FilterDocument | null | undefined) : null;
  const collection = collectionOf(state, request);
  collection.checkFilter(filter, true);
  const change = collection.prepareUpsert(points, filter ?? null);
  return state.writes.write(request.query['wait'] === true, change);
}

function deletePoints(state: DoubleState, request: OperationRequest): unknown {
  const collection = collectionOf(state, request);
  const { points, filter } = request.body;
  if (Array.isArray(points)) collection.strict.remove(points.length);
  collection.checkFilter(filter as FilterDocument | undefined, true);
  return state.writes.write(request.query['wait'] === true, () => {
    if (Array.isArray(points)) collection.remove(points as PointId[]);
    else collection.removeMatching(filter as FilterDocument);
  });
}

function scrollPoints(state: DoubleState, request: OperationRequest): unknown {
  const {
    filter,
    limit,
    offset,
    order_by: orderBy,
    with_payload: payload,
    with_vector: vector,
  } = request.body;
  const collection = collectionOf(state, request);
  collection.strict.read(request.body, filter as FilterDocument | undefined);
  collection.checkFilter(filter as FilterDocument | undefined, false);
  const found = collection.matching(filter as FilterDocument | undefined);
  const matching = orderBy === undefined ? found : collection.inOrder(found, orderBy);
  const start = isPointId(offset) ? { id: normaliseId(offset) } : null;
  const rest = start === null ? matching : matching.filter((point) => byId(point, start) >= 0);
  const size = typeof limit === 'number' ? limit : 10;
  return {
    points: rest.slice(0, size).map((point) => shown(point, payload ?? true, vector)),
    next_page_offset: rest[size]?.id ?? null,
  };
}

function countPoints(state: DoubleState, request: OperationRequest): unknown {
  const collection = collectionOf(state, request);
  const filter = request.body['filter'] as FilterDocument | undefined;
  collection.strict.read({ limit: 0, exact: request.body['exact'] ?? true }, filter);
  collection.checkFilter(filter, false);
  return { count: collection.matching(filter).length };
}

/** The most frequent values first, with their exact numbers; Qdrant's own are estimates without `exact`. */
function facetPoints(state: DoubleState, request: OperationRequest): unknown {
  const { key, filter, limit } = request.body;
  if (state.refusesFacets) throw new QdrantFailure(400, 'Bad request: facets are not allowed');
  const collection = collectionOf(state, request);
  collection.strict.read(request.body, filter as FilterDocument | undefined);
  collection.checkFilter(filter as FilterDocument | undefined, false);
  if (!collection.indexes.has(String(key))) {
    throw new QdrantFailure(400, `Bad request: Index required but not found for "${String(key)}"`);
  }
  const counts = new Map<unknown, number>();
  for (const { payload } of collection.matching(filter as FilterDocument | undefined)) {
    const value = payload[String(key)];
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const hits = [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
  return { hits: hits.slice(0, typeof limit === 'number' ? limit : 10) };
}

function queryPoints(state: DoubleState, request: OperationRequest): unknown {
  return query(collectionOf(state, request), request.body);
}

function queryBatchPoints(state: DoubleState, request: OperationRequest): unknown {
  const collection = collectionOf(state, request);
  const searches = request.body['searches'] as Record<string, unknown>[];
  collection.strict.searchBatch(searches.length);
  return searches.map((search) => query(collection, search));
}

function query(collection: DoubleCollection, body: Record<string, unknown>): unknown {
  const { query: wanted, prefetch, using, limit, offset, with_payload: payload, with_vector: vector } = body;
  const filter = body['filter'] as FilterDocument | undefined;
  collection.strict.read(body, filter);
  collection.checkFilter(filter, false);
  if (prefetch !== undefined) throw new UnsupportedFeature('prefetch');
  let hits;
  if (isSparse(wanted) && typeof using === 'string') hits = collection.nearestSparse(wanted, using, filter);
  else if (Array.isArray(wanted) && using === undefined)
    hits = collection.nearest(wanted as number[], filter);
  else throw new UnsupportedFeature('queries other than one vector');
  const start = typeof offset === 'number' ? offset : 0;
  return {
    points: hits.slice(start, start + (typeof limit === 'number' ? limit : 10)).map(({ point, score }) => ({
      ...shown(point, payload ?? false, vector),
      version: 0,
      score,
    })),
  };
}

/** Servers since 1.18 know it. */
function createVectorName(state: DoubleState, request: OperationRequest): unknown {
  if (!knows(state, 18)) throw new QdrantFailure(404, 'Not found');
  const collection = collectionOf(state, request);
  const { sparse } = request.body;
  if (sparse === undefined) throw new UnsupportedFeature('named dense vectors');
  return state.writes.write(request.query['wait'] === true, () => {
    collection.sparseVectors.set(request.vectorName, sparse as object);
  });
}

function updateVectors(state: DoubleState, request: OperationRequest): unknown {
  const collection = collectionOf(state, request);
  const change = collection.prepareVectors(
    request.body['points'] as Parameters<DoubleCollection['prepareVectors']>[0],
  );
  return state.writes.write(request.query['wait'] === true, change);
}

function shown(point: DoublePoint, withPayload: unknown, withVector: unknown): Record<string, unknown> {
  const answer: Record<string, unknown> = { id: point.id };
  if (withPayload === true) answer['payload'] = point.payload;
  if (Array.isArray(withPayload)) {
    const fields = Object.entries(point.payload).filter(([field]) => withPayload.includes(field));
    answer['payload'] = Object.fromEntries(fields);
  }
  if (withVector === true) {
    const dense = Array.from(point.vector);
    const isNamed = Object.keys(point.sparse).length > 0;
    answer['vector'] = isNamed ? { '': dense, ...point.sparse } : dense;
  }
  return answer;
}

function infoOf(collection: DoubleCollection): unknown {
  const count = collection.points.size;
  const schema = [...collection.indexes].map(([field, params]) => [
    field,
    { data_type: params['type'], params, points: count },
  ]);
  return {
    status: 'green',
    optimizer_status: 'ok',
    indexed_vectors_count: 0,
    points_count: count,
    segments_count: 1,
    config: {
      params: {
        vectors: collection.params,
        ...(collection.sparseVectors.size === 0
          ? {}
          : { sparse_vectors: Object.fromEntries(collection.sparseVectors) }),
        shard_number: 1,
        replication_factor: 1,
        write_consistency_factor: 1,
      },
      hnsw_config: { m: 16, ef_construct: 100, full_scan_threshold: 10_000 },
      optimizer_config: { default_segment_number: 0, flush_interval_sec: 5 },
      ...(collection.metadata === null ? {} : { metadata: collection.metadata }),
    },
    payload_schema: Object.fromEntries(schema) as Record<string, unknown>,
  };
}

function knows(state: DoubleState, minor: number): boolean {
  const [major = 0, found = 0] = state.version.split('.').map(Number);
  return major > 1 || found >= minor;
}

function isPointId(value: unknown): value is PointId {
  return typeof value === 'string' || typeof value === 'number';
}
