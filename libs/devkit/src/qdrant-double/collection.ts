import { UnsupportedFeature, QdrantFailure } from './failure.js';
import { isSparse, sparseScores, type SparseVector } from './sparse.js';
import { StrictModeChecks, type StrictMode } from './strict-mode.js';
import { matchesFilter, type FilterDocument, type PointId } from './filter.js';

/** A stored point. The vector is the one that Qdrant would store, which may differ from the one sent. */
export interface DoublePoint {
  id: PointId;
  vector: Float32Array;
  /** Keyed by the name of the vector. */
  sparse: Readonly<Record<string, SparseVector>>;
  payload: Record<string, unknown>;
}

export interface VectorParams {
  size: number;
  distance: string;
}

interface PointInput {
  id: PointId;
  vector: unknown;
  payload?: Record<string, unknown> | null;
}

/** One collection in memory. */
export class DoubleCollection {
  readonly points = new Map<PointId, DoublePoint>();
  /** Field to index parameters, in the order of creation. */
  readonly indexes = new Map<string, Record<string, unknown>>();

  readonly strict: StrictModeChecks;

  /** Keyed by name: whether the server multiplies weights with the rarity of an index. */
  readonly sparseVectors = new Map<string, { modifier?: string }>();

  constructor(
    readonly params: VectorParams,
    public metadata: Record<string, unknown> | null,
    private readonly strictMode: StrictMode,
  ) {
    if (!['Cosine', 'Dot'].includes(params.distance))
      throw new UnsupportedFeature(`distance ${params.distance}`);
    this.strict = new StrictModeChecks(strictMode);
  }

  copy(): DoubleCollection {
    const copy = new DoubleCollection(this.params, this.metadata, this.strictMode);
    for (const [id, point] of this.points) copy.points.set(id, point);
    for (const [field, params] of this.indexes) copy.indexes.set(field, params);
    for (const [name, params] of this.sparseVectors) copy.sparseVectors.set(name, params);
    return copy;
  }

  /** Does the checks that Qdrant does before it queues a write, then returns the change. */
  prepareUpsert(points: readonly PointInput[], updateFilter: FilterDocument | null): () => void {
    this.strict.write(points.length, 'upsert limit', this.points.size);
    const stored = points.map((point) => this.stored(point));
    return () => {
      for (const point of stored) {
        const existing = this.points.get(point.id);
        if (existing === undefined || matchesFilter(updateFilter, existing)) this.points.set(point.id, point);
      }
    };
  }

  remove(ids: readonly PointId[]): void {
    for (const id of ids) this.points.delete(normaliseId(id));
  }

  removeMatching(filter: FilterDocument): void {
    for (const point of this.matching(filter)) this.points.delete(point.id);
  }

  /** Ordered by id: numbers first, then UUIDs. */
  matching(filter: FilterDocument | null | undefined): DoublePoint[] {
    return [...this.points.values()].filter((point) => matchesFilter(filter, point)).sort(byId);
  }

  /** By the values of an indexed field. Points without the field are left out. */
  inOrder(points: readonly DoublePoint[], orderBy: unknown): DoublePoint[] {
    const { key, direction } = orderBy as { key?: unknown; direction?: unknown };
    if (typeof key !== 'string') throw new UnsupportedFeature(`order_by ${JSON.stringify(orderBy)}`);
    if (!this.indexes.has(key)) {
      throw new QdrantFailure(400, `Bad request: No range index for \`order_by\` key: \`${key}\`.`);
    }
    const sign = direction === 'desc' ? -1 : 1;
    const valueOf = ({ payload }: DoublePoint): number => payload[key] as number;
    return points
      .filter((point) => typeof point.payload[key] === 'number')
      .sort((left, right) => sign * (valueOf(left) - valueOf(right)));
  }

  /** Best first. The search is exact; Qdrant's may be approximate. */
  nearest(
    query: readonly number[],
    filter: FilterDocument | null | undefined,
  ): { point: DoublePoint; score: number }[] {
    const vector = this.vectorOf(query);
    return this.matching(filter)
      .map((point) => ({ point, score: dot(vector, point.vector) }))
      .sort((a, b) => b.score - a.score);
  }

  nearestSparse(
    query: SparseVector,
    name: string,
    filter: FilterDocument | null | undefined,
  ): { point: DoublePoint; score: number }[] {
    const isRare = this.sparseParams(name).modifier === 'idf';
    const points = [...this.points.values()];
    const scores = sparseScores(
      query,
      points.map(({ sparse }) => sparse[name]),
      isRare,
    );
    return points
      .flatMap((point, at) => (scores[at] === null ? [] : [{ point, score: scores[at]! }]))
      .filter(({ point }) => matchesFilter(filter, point))
      .sort((a, b) => b.score - a.score);
  }

  /** Replaces the named vectors of existing points. */
  prepareVectors(points: readonly PointInput[]): () => void {
    this.strict.write(points.length, 'update limit');
    const found = points.map(({ id, vector }) => {
      const point = this.points.get(normaliseId(id));
      if (point === undefined) throw new QdrantFailure(404, `Not found: No point with id ${id} found`);
      return { point, sparse: this.sparseOf(vector as Record<string, unknown>) };
    });
    return () => {
      for (const { point, sparse } of found) {
        this.points.set(point.id, { ...point, sparse: { ...point.sparse, ...sparse } });
      }
    };
  }

  checkFilter(filter: FilterDocument | null | undefined, isUpdate: boolean): void {
    this.strict.filter(filter, this.indexes, isUpdate);
  }

  private stored(point: PointInput): DoublePoint {
    const vectors = Array.isArray(point.vector)
      ? { '': point.vector }
      : (point.vector as Record<string, unknown>);
    const { '': dense, ...others } = vectors;
    if (!Array.isArray(dense)) throw new UnsupportedFeature('points without the unnamed vector');
    return {
      id: normaliseId(point.id),
      vector: this.vectorOf(dense as number[]),
      sparse: this.sparseOf(others),
      payload: structuredClone(point.payload ?? {}),
    };
  }

  private sparseOf(vectors: Record<string, unknown>): Record<string, SparseVector> {
    for (const [name, vector] of Object.entries(vectors)) {
      this.sparseParams(name);
      if (!isSparse(vector)) throw new UnsupportedFeature('named dense vectors');
    }
    return structuredClone(vectors as Record<string, SparseVector>);
  }

  private sparseParams(name: string): { modifier?: string } {
    const params = this.sparseVectors.get(name);
    if (params === undefined) {
      throw new QdrantFailure(400, `Wrong input: Not existing vector name error: ${name}`);
    }
    return params;
  }

  private vectorOf(numbers: readonly number[]): Float32Array {
    const { size, distance } = this.params;
    if (numbers.length !== size) {
      throw new QdrantFailure(
        400,
        `Wrong input: Vector dimension error: expected dim: ${size}, got ${numbers.length}`,
      );
    }
    const vector = Float32Array.from(numbers);
    const length = Math.sqrt(dot(vector, vector));
    return distance === 'Cosine' && length > 0 ? vector.map((value) => value / length) : vector;
  }
}

/** Qdrant accepts every spelling of a UUID and returns the canonical one. */
export function normaliseId(id: PointId): PointId {
  if (typeof id === 'number') return id;
  const hex = id
    .toLowerCase()
    .replace(/^urn:uuid:/, '')
    .replaceAll('-', '');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

export function byId(a: { id: PointId }, b: { id: PointId }): number {
  if (typeof a.id !== typeof b.id) return typeof a.id === 'number' ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
