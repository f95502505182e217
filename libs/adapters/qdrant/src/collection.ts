import { type Schemas } from '@qdrant/js-client-rest';
import { RepotideError, type CollectionSpec } from '@core/domain';
import { type QdrantCaller } from './caller.js';

type CollectionInfo = Schemas['CollectionInfo'];

/** Key of the collection's metadata that names the model (Qdrant 1.16 and newer). */
const MODEL_METADATA = 'repotide_model';
/** A payload index of this name marks the model where metadata is not kept; hex, because a field name is a path. */
const MODEL_MARKER = 'repotide_model_';

const INDEXES: readonly { field: string; schema: Schemas['PayloadFieldSchema'] }[] = [
  { field: 'repository_id', schema: { type: 'keyword', is_tenant: true } },
  ...['path', 'directories', 'file_version', 'blob_sha', 'language'].map((field) => ({
    field,
    schema: { type: 'keyword' as const },
  })),
  { field: 'fence', schema: { type: 'integer' } },
];

/** Null when the collection does not exist. */
async function findCollection(
  caller: QdrantCaller,
  name: string,
  signal: AbortSignal,
): Promise<CollectionInfo | null> {
  try {
    return await caller.result((api, init) => api.getCollection({ collection_name: name }, init), signal);
  } catch (error) {
    if (error instanceof RepotideError && error.code === 'collection_missing') return null;
    throw error;
  }
}

/**
 * Makes the collection, its model mark and its payload indexes where they are missing; repeating and racing are
 * harmless. Indexes come before the first point, so that the vector index is built with links for filtered search.
 * @throws conflict `collection_mismatch`; nothing was changed then.
 */
export async function ensureCollection(
  caller: QdrantCaller,
  spec: CollectionSpec,
  signal: AbortSignal,
): Promise<void> {
  const found = await findCollection(caller, spec.name, signal);
  let info = found ?? (await createCollection(caller, spec, signal));
  assertMatches(info, spec);
  if (modelsOf(info).length === 0) info = await markModel(caller, spec, signal);
  for (const { field, schema } of INDEXES) {
    if (info.payload_schema[field] === undefined) await createIndex(caller, spec.name, field, schema, signal);
  }
}

/** Qdrant answers false for one that is not there. */
export async function dropCollection(caller: QdrantCaller, name: string, signal: AbortSignal): Promise<void> {
  await caller.result((api, init) => api.deleteCollection({ collection_name: name }, init), signal);
}

async function createCollection(
  caller: QdrantCaller,
  spec: CollectionSpec,
  signal: AbortSignal,
): Promise<CollectionInfo> {
  const request = {
    collection_name: spec.name,
    vectors: { size: spec.dimensions, distance: 'Cosine' as const },
    metadata: { [MODEL_METADATA]: spec.modelId },
  };
  let refusal: RepotideError | null = null;
  try {
    await caller.result((api, init) => api.createCollection(request, init), signal);
  } catch (error) {
    if (!saysItExists(error)) throw error;
    refusal = error;
  }
  const info = await findCollection(caller, spec.name, signal);
  if (info !== null) return info;
  throw refusal ?? mismatch(spec, 'vanished right after it was made', {});
}

/** Somebody else made it in between: servers answer 409 or, older ones, 400. Whoever asks looks again. */
function saysItExists(error: unknown): error is RepotideError {
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

/** Records the model of an empty, unmarked collection. Marks only ever add up, so that racing models see each other. */
async function markModel(
  caller: QdrantCaller,
  spec: CollectionSpec,
  signal: AbortSignal,
): Promise<CollectionInfo> {
  const request = { collection_name: spec.name, exact: true };
  const { count } = await caller.result((api, init) => api.countPoints(request, init), signal);
  if (count > 0) {
    throw mismatch(spec, `holds ${count} points and no record of the model that made them`, {
      found_model: null,
      found_points: count,
    });
  }
  const mark = MODEL_MARKER + Buffer.from(spec.modelId, 'utf8').toString('hex');
  await createIndex(caller, spec.name, mark, { type: 'keyword' }, signal);
  const info = await findCollection(caller, spec.name, signal);
  if (info === null) throw mismatch(spec, 'vanished right after it was made', {});
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
    throw mismatch(spec, 'has no single unnamed vector', {});
  }
  const { size, distance } = vectors;
  const models = modelsOf(info);
  const isOtherModel = models.some((model) => model !== spec.modelId);
  if (size === spec.dimensions && distance === 'Cosine' && !isOtherModel) return;
  const model = models.length === 0 ? 'an unrecorded model' : `model ${models.join(' and ')}`;
  throw mismatch(spec, `holds ${distance} vectors of ${size} dimensions of ${model}`, {
    found_dimensions: size,
    found_distance: distance,
    found_model: models.join(', ') || null,
  });
}

function mismatch(spec: CollectionSpec, found: string, details: Record<string, unknown>): RepotideError {
  return new RepotideError(
    'conflict',
    'collection_mismatch',
    `Collection "${spec.name}" ${found}; needed are Cosine vectors of ${spec.dimensions} dimensions of model ` +
      `${spec.modelId}. Set EMBEDDING_MODEL and EMBEDDING_DIMENSIONS back, or register the repository anew with ` +
      'another collection_name, or delete the collection to fill it anew.',
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
