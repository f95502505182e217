import { randomUUID } from 'node:crypto';
import { type Schemas } from '@qdrant/js-client-rest';
import { RepotideError, type CollectionSpec } from '@core/domain';
import { type QdrantCaller } from './caller.js';
import { hasStatus, unlessMissing } from './errors.js';
import { TERMS, TERMS_CONFIG } from './points.js';
import { type QdrantReader } from './reader.js';

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
const DELETED_AT_ONCE = 'was deleted right after it was created';

/** `QDRANT_COLLECTION_OPTIONS`: the shape of new collections. */
export type CollectionOptions = Omit<
  Schemas['CreateCollection'],
  'vectors' | 'sparse_vectors' | 'metadata'
> & {
  vectors?: Pick<Schemas['VectorParams'], 'on_disk'>;
  /** Of the index on `repository_id` (default true). */
  is_tenant?: boolean;
};

/** Makes, checks, names and drops collections. */
export class QdrantCollections {
  /** Collections that this installation did not make. */
  private readonly foreign = new Set<string>();
  private readonly isTenant: boolean;
  private readonly shape: Omit<CollectionOptions, 'is_tenant'>;

  /**
   * @param installation begins each incarnation, so that an installation finds its own collections in a shared server.
   */
  constructor(
    private readonly caller: QdrantCaller,
    private readonly reader: QdrantReader,
    { is_tenant: isTenant = true, ...shape }: CollectionOptions,
    private readonly installation: string,
  ) {
    this.isTenant = isTenant;
    this.shape = shape;
  }

  /**
   * Makes the collection, its model mark and its payload indexes where they are missing; safe to repeat and to race.
   * Indexes come before the first point, so that the vector index has links for filtered search.
   * @returns the incarnation.
   * @throws conflict `collection_mismatch`, having changed nothing.
   */
  async ensure(spec: CollectionSpec, signal: AbortSignal): Promise<string> {
    const incarnation = `${this.installation}_${randomUUID()}`;
    let info = (await this.find(spec.name, signal)) ?? (await this.create(spec, incarnation, signal));
    assertMatches(info, spec);
    if (modelsOf(info).length === 0) info = await this.markModel(spec, signal);
    const indexes = [
      ['repository_id', { type: 'keyword', is_tenant: this.isTenant }] as const,
      ...KEYWORDS.map((field) => [field, { type: 'keyword' }] as const),
      ['fence', { type: 'integer' }] as const,
    ];
    for (const [field, schema] of indexes) {
      if (info.payload_schema[field] === undefined) await this.createIndex(spec.name, field, schema, signal);
    }
    return incarnationIn(info) ?? this.markIncarnation(spec, incarnation, signal);
  }

  /** The collections that the installation made, without the known ones. */
  async leftovers(known: ReadonlySet<string>, signal: AbortSignal): Promise<string[]> {
    const names = (await this.list(signal)) ?? [];
    const found: string[] = [];
    for (const name of names.filter((each) => GENERATION_NAME.test(each))) {
      if (known.has(name) || this.foreign.has(name)) continue;
      const incarnation = await this.incarnationOf(name, signal);
      if (incarnation !== null && this.isOwn(incarnation)) found.push(name);
      else this.foreign.add(name);
    }
    return found;
  }

  /**
   * Whether someone made a collection of this name, not an alias, which an index can use: it fits and has no index yet.
   * Without the right to list collections an alias counts as a collection.
   * @throws conflict `collection_mismatch` when there is one that cannot be used.
   */
  async isMadeBeforehand(spec: CollectionSpec, signal: AbortSignal): Promise<boolean> {
    const names = await this.list(signal);
    if (names !== null && !names.includes(spec.name)) return false;
    const info = await this.find(spec.name, signal);
    if (info === null) return false;
    // A restored backup of Postgres may not know that it uses the collection.
    const incarnation = incarnationIn(info);
    if (incarnation !== null && !this.isOwn(incarnation))
      throw mismatch(spec, 'is the index of another Repotide database');
    assertMatches(info, spec);
    if (modelsOf(info).length === 0) await this.assertEmpty(spec, signal);
    return true;
  }

  /** Null: the key may not list them. */
  async list(signal: AbortSignal): Promise<string[] | null> {
    const answer = this.caller.result((api, init) => api.getCollections({}, init), signal);
    const listed = await this.caller.permissions.optional('list_collections', answer, null);
    return listed?.collections.map(({ name }) => name) ?? null;
  }

  /** Null when the collection is missing or has no incarnation. */
  async incarnationOf(name: string, signal: AbortSignal): Promise<string | null> {
    const info = await this.find(name, signal);
    return info && incarnationIn(info);
  }

  /** Qdrant answers false for a missing collection. */
  async drop(name: string, signal: AbortSignal): Promise<void> {
    await this.caller.result((api, init) => api.deleteCollection({ collection_name: name }, init), signal);
  }

  /**
   * Lets the alias point to the collection; repeating costs one request. Qdrant applies the actions of a request one after
   * the other and keeps those before a refused one. So only one action is sent: `create_alias` checks the collection
   * first and then replaces an alias that exists. The alias never points to nothing.
   * @throws conflict `alias_is_collection`.
   */
  async pointAlias(alias: string, collection: string, signal: AbortSignal): Promise<void> {
    // The index is in a collection that was made beforehand under this name.
    if (alias === collection) return;
    await this.caller.permissions.optional('change_aliases', this.moveAlias(alias, collection, signal), null);
  }

  private async moveAlias(alias: string, collection: string, signal: AbortSignal): Promise<void> {
    const { aliases } = await this.caller.result((api, init) => api.getCollectionsAliases({}, init), signal);
    const found = aliases.find(({ alias_name: name }) => name === alias);
    if (found?.collection_name === collection) return;
    const actions = [{ create_alias: { alias_name: alias, collection_name: collection } }];
    try {
      const changed = this.caller.result((api, init) => api.updateAliases({ actions }, init), signal);
      await unlessMissing(changed, true);
    } catch (error) {
      const isCollection = async () => (await this.list(signal))?.includes(alias) ?? true;
      if (!isRefusal(error) || !(await isCollection())) throw error;
      // A former index, made beforehand, keeps the name until it is dropped.
      if ((await this.incarnationOf(alias, signal)) === null) throw aliasTaken(alias);
    }
  }

  /** Null when the collection does not exist. */
  find(name: string, signal: AbortSignal): Promise<CollectionInfo | null> {
    const found = this.caller.result(
      (api, init) => api.getCollection({ collection_name: name }, init),
      signal,
    );
    return unlessMissing<CollectionInfo | null>(found, null);
  }

  private async create(
    spec: CollectionSpec,
    incarnation: string,
    signal: AbortSignal,
  ): Promise<CollectionInfo> {
    const { vectors, ...options } = this.shape;
    const request = {
      collection_name: spec.name,
      ...options,
      vectors: { ...vectors, size: spec.dimensions, distance: 'Cosine' as const },
      sparse_vectors: { [TERMS]: TERMS_CONFIG },
      metadata: { [MODEL_METADATA]: spec.modelId, [INCARNATION_METADATA]: incarnation },
    };
    let refusal: RepotideError | null = null;
    try {
      const created = this.caller.result((api, init) => api.createCollection(request, init), signal);
      await this.caller.permissions.watch('create_collections', created);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusal = error;
    }
    const info = await this.find(spec.name, signal);
    if (info !== null) return info;
    throw refusal ?? mismatch(spec, DELETED_AT_ONCE);
  }

  private async createIndex(
    collection: string,
    field: string,
    schema: Schemas['PayloadFieldSchema'],
    signal: AbortSignal,
  ): Promise<void> {
    const request = { collection_name: collection, wait: true, field_name: field, field_schema: schema };
    await this.caller.applied((api, init) => api.createFieldIndex(request, init), signal);
  }

  private async assertEmpty(spec: CollectionSpec, signal: AbortSignal): Promise<void> {
    const count = await this.reader.count(spec.name, null, signal);
    if (count === 0) return;
    const details = { found_model: null, found_points: count };
    throw mismatch(spec, `has ${count} points and no record of their model`, details);
  }

  /** Marks an empty collection with its model. Marks are only added, so that two racing models see each other. */
  private async markModel(spec: CollectionSpec, signal: AbortSignal): Promise<CollectionInfo> {
    await this.assertEmpty(spec, signal);
    const mark = MODEL_MARKER + Buffer.from(spec.modelId, 'utf8').toString('hex');
    await this.createIndex(spec.name, mark, { type: 'keyword' }, signal);
    const info = await this.find(spec.name, signal);
    if (info === null) throw mismatch(spec, DELETED_AT_ONCE);
    assertMatches(info, spec);
    return info;
  }

  /** Two racing callers may both leave a mark; then the first in order counts for all. */
  private async markIncarnation(
    spec: CollectionSpec,
    incarnation: string,
    signal: AbortSignal,
  ): Promise<string> {
    await this.createIndex(spec.name, INCARNATION_MARKER + incarnation, { type: 'keyword' }, signal);
    const recorded = await this.incarnationOf(spec.name, signal);
    if (recorded === null) throw mismatch(spec, DELETED_AT_ONCE);
    return recorded;
  }

  private isOwn(incarnation: string): boolean {
    return incarnation.startsWith(`${this.installation}_`);
  }
}

function incarnationIn({ config, payload_schema: indexes }: CollectionInfo): string | null {
  const recorded = config.metadata?.[INCARNATION_METADATA];
  return typeof recorded === 'string' ? recorded : (marksIn(indexes, INCARNATION_MARKER).sort()[0] ?? null);
}

function modelsOf({ config, payload_schema: indexes }: CollectionInfo): string[] {
  const recorded = config.metadata?.[MODEL_METADATA];
  const marked = marksIn(indexes, MODEL_MARKER).map((mark) => Buffer.from(mark, 'hex').toString('utf8'));
  return typeof recorded === 'string' ? [recorded, ...marked] : marked;
}

function marksIn(indexes: CollectionInfo['payload_schema'], marker: string): string[] {
  return Object.keys(indexes)
    .filter((field) => field.startsWith(marker))
    .map((field) => field.slice(marker.length));
}

/** An existing name: servers answer 409 or, older ones, 400. */
function isRefusal(error: unknown): error is RepotideError {
  return hasStatus(error, 400, 409);
}

function assertMatches(info: CollectionInfo, spec: CollectionSpec): void {
  const vectors = info.config.params.vectors as { size?: unknown; distance?: unknown } | undefined;
  if (typeof vectors?.size !== 'number' || typeof vectors.distance !== 'string') {
    throw mismatch(spec, 'does not have a single unnamed vector');
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

function mismatch(spec: CollectionSpec, found: string, details: Record<string, unknown> = {}): RepotideError {
  const { name, dimensions, modelId } = spec;
  const message =
    `Collection "${name}" ${found}; expected Cosine vectors of ${dimensions} dimensions of model ` +
    `${modelId}. Restore EMBEDDING_MODEL and EMBEDDING_DIMENSIONS, register the repository again with ` +
    'another collection_name, or delete the collection to fill it again.';
  const expected = { expected_dimensions: dimensions, expected_model: modelId };
  return new RepotideError('conflict', 'collection_mismatch', message, {
    details: { collection: name, ...details, ...expected },
  });
}

function aliasTaken(alias: string): RepotideError {
  const message =
    `Qdrant has a collection named "${alias}", so the name cannot become the alias of an index. Repotide makes its ` +
    `own collections, such as "${alias}--1a2b3c4d". Delete the found collection if nothing uses it, or register ` +
    'with another collection_name.';
  return new RepotideError('conflict', 'alias_is_collection', message, { details: { collection: alias } });
}
