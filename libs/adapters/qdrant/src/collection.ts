import { randomUUID } from 'node:crypto';
import { type Schemas } from '@qdrant/js-client-rest';
import { RepotideError, type CollectionSpec } from '@core/domain';
import { type QdrantCaller } from './caller.js';
import { unlessMissing } from './errors.js';
import { QdrantReader } from './reader.js';
import { TERMS, TERMS_CONFIG } from './sparse.js';

type CollectionInfo = Schemas['CollectionInfo'];

/** Metadata key with the name of the model (Qdrant 1.16 and newer). */
const MODEL_METADATA = 'repotide_model';
/** Older servers: a payload index with this prefix and the model in hex (a field name is a path) marks the model. */
const MODEL_MARKER = 'repotide_model_';

/** The collection's incarnation, in the same two ways. A collection that was made beforehand gets the index. */
const INCARNATION_METADATA = 'repotide_incarnation';
const INCARNATION_MARKER = 'repotide_incarnation_';
/** The names that Repotide gives; other collections were made beforehand, and are never leftovers. */
const GENERATION_NAME = /--[0-9a-f]{8}$/;

const KEYWORDS = ['path', 'directories', 'file_version', 'blob_sha', 'language'];

/** `QDRANT_COLLECTION_OPTIONS`: the shape of new collections. */
export type CollectionOptions = Omit<
  Schemas['CreateCollection'],
  'vectors' | 'sparse_vectors' | 'metadata'
> & {
  vectors?: Pick<Schemas['VectorParams'], 'on_disk'>;
  /** Of the index on `repository_id` (default true). */
  is_tenant?: boolean;
};

/**
 * Makes the collection, its model mark and its payload indexes where they are missing; safe to repeat and to race.
 * Indexes come before the first point, so that the vector index has links for filtered search.
 * @returns the incarnation.
 * @throws conflict `collection_mismatch`, having changed nothing.
 */
export async function ensureCollection(
  caller: QdrantCaller,
  spec: CollectionSpec,
  { options: { is_tenant: isTenant = true, ...options }, installation }: NewCollections,
  signal: AbortSignal,
): Promise<string> {
  const incarnation = newIncarnation(installation);
  const found = await findCollection(caller, spec.name, signal);
  let info = found ?? (await createCollection(caller, spec, options, incarnation, signal));
  assertMatches(info, spec);
  if (modelsOf(info).length === 0) info = await markModel(caller, spec, signal);
  const indexes = [
    ['repository_id', { type: 'keyword', is_tenant: isTenant }] as const,
    ...KEYWORDS.map((field) => [field, { type: 'keyword' }] as const),
    ['fence', { type: 'integer' }] as const,
  ];
  for (const [field, schema] of indexes) {
    if (info.payload_schema[field] === undefined) await createIndex(caller, spec.name, field, schema, signal);
  }
  return incarnationIn(info) ?? markIncarnation(caller, spec, incarnation, signal);
}

/** How collections are made. */
export interface NewCollections {
  options: CollectionOptions;
  /** Begins each incarnation, so that an installation finds its own collections in a shared server. */
  installation: string;
}

function newIncarnation(installation: string): string {
  return `${installation}_${randomUUID()}`;
}

function isOwn(incarnation: string, installation: string): boolean {
  return incarnation.startsWith(`${installation}_`);
}

/** The collections that the installation made, without the known ones. `others` remembers those of other installations. */
export async function leftovers(
  caller: QdrantCaller,
  installation: string,
  known: ReadonlySet<string>,
  others: Set<string>,
  signal: AbortSignal,
): Promise<string[]> {
  const names = (await listCollections(caller, signal)) ?? [];
  const found: string[] = [];
  for (const name of names.filter((each) => GENERATION_NAME.test(each))) {
    if (known.has(name) || others.has(name)) continue;
    const incarnation = await incarnationOf(caller, name, signal);
    if (incarnation !== null && isOwn(incarnation, installation)) found.push(name);
    else others.add(name);
  }
  return found;
}

/**
 * Whether someone made a collection of this name, not an alias, which an index can use: it fits and has no index yet.
 * Without the right to list collections an alias counts as a collection.
 * @throws conflict `collection_mismatch` when there is one that cannot be used.
 */
export async function isMadeBeforehand(
  caller: QdrantCaller,
  spec: CollectionSpec,
  installation: string,
  signal: AbortSignal,
): Promise<boolean> {
  const names = await listCollections(caller, signal);
  if (names !== null && !names.includes(spec.name)) return false;
  const info = await findCollection(caller, spec.name, signal);
  if (info === null) return false;
  // A restored backup of Postgres may not know that it uses the collection.
  const incarnation = incarnationIn(info);
  if (incarnation !== null && !isOwn(incarnation, installation))
    throw mismatch(spec, 'is the index of another Repotide database', {});
  assertMatches(info, spec);
  if (modelsOf(info).length === 0) await assertEmpty(caller, spec, signal);
  return true;
}

/** Null: the key may not list them. */
export async function listCollections(caller: QdrantCaller, signal: AbortSignal): Promise<string[] | null> {
  const answer = caller.result((api, init) => api.getCollections({}, init), signal);
  const listed = await caller.permissions.optional('list_collections', answer, null);
  return listed?.collections.map(({ name }) => name) ?? null;
}

/** Null when the collection is missing or has no incarnation. */
export async function incarnationOf(
  caller: QdrantCaller,
  name: string,
  signal: AbortSignal,
): Promise<string | null> {
  const info = await findCollection(caller, name, signal);
  return info === null ? null : incarnationIn(info);
}

/** Two racing callers may both leave a mark; then the first in order counts for all. */
async function markIncarnation(
  caller: QdrantCaller,
  spec: CollectionSpec,
  incarnation: string,
  signal: AbortSignal,
): Promise<string> {
  await createIndex(caller, spec.name, INCARNATION_MARKER + incarnation, { type: 'keyword' }, signal);
  const recorded = await incarnationOf(caller, spec.name, signal);
  if (recorded === null) throw mismatch(spec, 'was deleted right after it was created', {});
  return recorded;
}

function incarnationIn({ config, payload_schema: indexes }: CollectionInfo): string | null {
  const recorded = config.metadata?.[INCARNATION_METADATA];
  if (typeof recorded === 'string') return recorded;
  const marks = Object.keys(indexes).filter((field) => field.startsWith(INCARNATION_MARKER));
  return marks.sort()[0]?.slice(INCARNATION_MARKER.length) ?? null;
}

/** Qdrant answers false for a missing collection. */
export async function dropCollection(caller: QdrantCaller, name: string, signal: AbortSignal): Promise<void> {
  await caller.result((api, init) => api.deleteCollection({ collection_name: name }, init), signal);
}

/** Null when the collection does not exist. */
async function findCollection(
  caller: QdrantCaller,
  name: string,
  signal: AbortSignal,
): Promise<CollectionInfo | null> {
  const answer = caller.result((api, init) => api.getCollection({ collection_name: name }, init), signal);
  return unlessMissing<CollectionInfo | null>(answer, null);
}

async function createCollection(
  caller: QdrantCaller,
  spec: CollectionSpec,
  { vectors, ...options }: Omit<CollectionOptions, 'is_tenant'>,
  incarnation: string,
  signal: AbortSignal,
): Promise<CollectionInfo> {
  const request = {
    collection_name: spec.name,
    ...options,
    vectors: { ...vectors, size: spec.dimensions, distance: 'Cosine' as const },
    sparse_vectors: { [TERMS]: TERMS_CONFIG },
    metadata: { [MODEL_METADATA]: spec.modelId, [INCARNATION_METADATA]: incarnation },
  };
  let refusal: RepotideError | null = null;
  try {
    const created = caller.result((api, init) => api.createCollection(request, init), signal);
    await caller.permissions.watch('create_collections', created);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    refusal = error;
  }
  const info = await findCollection(caller, spec.name, signal);
  if (info !== null) return info;
  throw refusal ?? mismatch(spec, 'was deleted right after it was created', {});
}

/** An existing name: servers answer 409 or, older ones, 400. */
export function isRefusal(error: unknown): error is RepotideError {
  return error instanceof RepotideError && [400, 409].includes(Number(error.details['status']));
}

async function createIndex(
  caller: QdrantCaller,
  collection: string,
  field: string,
  schema: Schemas['PayloadFieldSchema'],
  signal: AbortSignal,
): Promise<void> {
  const request = { collection_name: collection, wait: true, field_name: field, field_schema: schema };
  await caller.applied((api, init) => api.createFieldIndex(request, init), signal);
}

async function assertEmpty(caller: QdrantCaller, spec: CollectionSpec, signal: AbortSignal): Promise<void> {
  const count = await new QdrantReader(caller).count(spec.name, null, signal);
  if (count === 0) return;
  const details = { found_model: null, found_points: count };
  throw mismatch(spec, `has ${count} points and no record of their model`, details);
}

/** Marks an empty collection with its model. Marks are only added, so that two racing models see each other. */
async function markModel(
  caller: QdrantCaller,
  spec: CollectionSpec,
  signal: AbortSignal,
): Promise<CollectionInfo> {
  await assertEmpty(caller, spec, signal);
  const mark = MODEL_MARKER + Buffer.from(spec.modelId, 'utf8').toString('hex');
  await createIndex(caller, spec.name, mark, { type: 'keyword' }, signal);
  const info = await findCollection(caller, spec.name, signal);
  if (info === null) throw mismatch(spec, 'was deleted right after it was created', {});
  assertMatches(info, spec);
  return info;
}

function modelsOf(info: CollectionInfo): string[] {
  const { metadata } = info.config;
  const recorded = metadata?.[MODEL_METADATA];
  const marks = Object.keys(info.payload_schema).filter((field) => field.startsWith(MODEL_MARKER));
  const marked = marks.map((field) => Buffer.from(field.slice(MODEL_MARKER.length), 'hex').toString('utf8'));
  return typeof recorded === 'string' ? [recorded, ...marked] : marked;
}

function assertMatches(info: CollectionInfo, spec: CollectionSpec): void {
  const vectors = info.config.params.vectors as { size?: unknown; distance?: unknown } | undefined;
  if (typeof vectors?.size !== 'number' || typeof vectors.distance !== 'string') {
    throw mismatch(spec, 'does not have a single unnamed vector', {});
  }
  const { size, distance } = vectors;
  const models = modelsOf(info);
  const isOtherModel = models.some((model) => model !== spec.modelId);
  if (size === spec.dimensions && distance === 'Cosine' && !isOtherModel) return;
  const model = models.length === 0 ? 'an unrecorded model' : `model ${models.join(' and ')}`;
  throw mismatch(spec, `has ${distance} vectors of ${size} dimensions of ${model}`, {
    found_dimensions: size,
    found_distance: distance,
    found_model: models.join(', ') || null,
  });
}

function mismatch(spec: CollectionSpec, found: string, details: Record<string, unknown>): RepotideError {
  return new RepotideError(
    'conflict',
    'collection_mismatch',
    `Collection "${spec.name}" ${found}; expected Cosine vectors of ${spec.dimensions} dimensions of model ` +
      `${spec.modelId}. Restore EMBEDDING_MODEL and EMBEDDING_DIMENSIONS, register the repository again with ` +
      'another collection_name, or delete the collection to fill it again.',
    {
      details: {
        collection: spec.name,
        ...details,
        expected_dimensions: spec.dimensions,
        expected_model: spec.modelId,
      },
    },
  );
}
