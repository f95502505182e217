import { answerInvalid } from './rerank-errors.js';

/**
 * The score of each text, in the order of the texts. Text Embeddings Inference answers a list of `index` and `score`;
 * Cohere, Jina, vLLM and others answer `results` with `index` and `relevance_score`.
 * @throws `reranker_answer_invalid`.
 */
export function scoresIn(answer: unknown, count: number): number[] {
  const entries: unknown = Array.isArray(answer) ? answer : (answer as { results?: unknown } | null)?.results;
  if (!Array.isArray(entries)) throw answerInvalid('it has no list of scores');
  if (entries.length !== count) throw answerInvalid(`${entries.length} scores for ${count} texts`);
  const scores = new Map<unknown, number>();
  for (const entry of entries as (Record<string, unknown> | null)[]) {
    const score = entry?.['relevance_score'] ?? entry?.['score'];
    if (typeof score !== 'number' || !Number.isFinite(score)) throw answerInvalid('a score is no number');
    scores.set(entry?.['index'], score);
  }
  return Array.from({ length: count }, (_, index) => {
    const score = scores.get(index);
    if (score === undefined) throw answerInvalid(`no score has the index ${index}`);
    return score;
  });
}
