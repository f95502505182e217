export interface SparseVector {
  indices: number[];
  values: number[];
}

export function isSparse(vector: unknown): vector is SparseVector {
  return typeof vector === 'object' && vector !== null && 'indices' in vector;
}

/** Sums of products; null: no common index, so the point is not found. */
export function sparseScores(
  query: SparseVector,
  vectors: readonly (SparseVector | undefined)[],
  isRare: boolean,
): (number | null)[] {
  const stored = vectors.map((vector) => new Map(vector?.indices.map((id, at) => [id, vector.values[at]!])));
  const rarities = query.indices.map((id) => {
    if (!isRare) return 1;
    const count = stored.filter((weights) => weights.has(id)).length;
    const total = vectors.filter((vector) => vector !== undefined).length;
    return Math.log(1 + (total - count + 0.5) / (count + 0.5));
  });
  return stored.map((weights) => {
    const common = query.indices.filter((id) => weights.has(id));
    if (common.length === 0) return null;
    return query.indices.reduce(
      (sum, id, at) => sum + (weights.get(id) ?? 0) * query.values[at]! * rarities[at]!,
      0,
    );
  });
}
