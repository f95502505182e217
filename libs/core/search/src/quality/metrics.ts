export interface Metrics {
  recall1: number;
  recall3: number;
  recall5: number;
  recall10: number;
  mrr: number;
  ndcg10: number;
}

/** Means over questions with one answering file each. @param ranks of that file, from 1; null: not found. */
export function metricsOf(ranks: readonly (number | null)[]): Metrics {
  const mean = (score: (rank: number) => number) =>
    Number(
      (
        ranks.reduce<number>((sum, rank) => sum + (rank === null ? 0 : score(rank)), 0) / ranks.length
      ).toFixed(3),
    );
  const recall = (depth: number) => mean((rank) => (rank <= depth ? 1 : 0));
  return {
    recall1: recall(1),
    recall3: recall(3),
    recall5: recall(5),
    recall10: recall(10),
    mrr: mean((rank) => 1 / rank),
    ndcg10: mean((rank) => (rank <= 10 ? 1 / Math.log2(rank + 1) : 0)),
  };
}
