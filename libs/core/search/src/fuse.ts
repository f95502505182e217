import { type LaneScores } from '@core/domain';
import { type QueryKind } from './query.js';

interface Candidate {
  scores: LaneScores;
}

/**
 * The share of the lexical lane; measured, see docs/decisions/2026-11-22-hybrid-search.md. A name is what its words say.
 * The built-in embedder knows no meaning: it counts words too, without their rarity.
 */
const LEXICAL_SHARE = { name: 0.9, question: 0.5, questionByWords: 0.8 };

/**
 * One score for each candidate of two lanes, 0 to 1. The scores of each lane are scaled first: ranks alone would lose by
 * how much the best one is better, which decides for names.
 */
export function fusedScores(
  kind: QueryKind,
  candidates: readonly Candidate[],
  embedder: 'trained' | 'built-in',
): number[] {
  const lexical = scaled(candidates.map(({ scores }) => scores.lexical));
  const dense = scaled(candidates.map(({ scores }) => scores.dense));
  const share = LEXICAL_SHARE[kind === 'question' && embedder === 'built-in' ? 'questionByWords' : kind];
  return candidates.map((_, index) => share * lexical[index]! + (1 - share) * dense[index]!);
}

/** The best is 1, the worst 0, and so is one that the lane did not find. */
function scaled(scores: readonly (number | null)[]): number[] {
  const found = scores.filter((score) => score !== null);
  const worst = Math.min(...found);
  const range = Math.max(...found) - worst;
  return scores.map((score) => (score === null ? 0 : range === 0 ? 1 : (score - worst) / range));
}
