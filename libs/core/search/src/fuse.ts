import { type LaneScores } from '@core/domain';
import { nameFitOf, type Passage } from './name-fit.js';
import { kindOf } from './query.js';

interface Candidate {
  scores: LaneScores;
  payload: Passage;
}

/**
 * The share of the lexical lane; measured, see docs/decisions/2026-11-22-hybrid-search.md. A name is what its words say.
 * The built-in embedder knows no meaning: it counts words too, without their rarity.
 */
const LEXICAL_SHARE = { name: 0.9, question: 0.6, questionByWords: 0.8 };
/** What the names that a text defines count for a question, beside 1 for both lanes together. */
const NAMES = 1.3;
/** Names are compared in the best candidates only: reading the texts takes most of the time of a fusion. */
const READ = 50;

/**
 * One score for each candidate of two lanes, 0 to 1. The scores of each lane are scaled first: ranks alone would lose by
 * how much the best one is better, which decides for names.
 */
export function fusedScores(
  query: string,
  candidates: readonly Candidate[],
  embedder: 'trained' | 'built-in',
): number[] {
  const kind = kindOf(query);
  const lexical = scaled(candidates.map(({ scores }) => scores.lexical));
  const dense = scaled(candidates.map(({ scores }) => scores.dense));
  const share = LEXICAL_SHARE[kind === 'question' && embedder === 'built-in' ? 'questionByWords' : kind];
  const lanes = candidates.map((_, index) => share * lexical[index]! + (1 - share) * dense[index]!);
  if (kind === 'name') return lanes;
  const least = lanes.toSorted((left, right) => right - left)[READ - 1] ?? 0;
  const fitOf = nameFitOf(query);
  const scores = lanes.map((score, index) =>
    score >= least ? score + NAMES * fitOf(candidates[index]!.payload) : score,
  );
  const [best, top] = [Math.max(...scores), Math.max(...lanes)];
  // The best hit has the best score of the lanes, so that `min_score` means the same for names and questions.
  return best === 0 ? scores : scores.map((score) => (score * top) / best);
}

/** The best is 1, the worst 0, and so is one that the lane did not find. */
function scaled(scores: readonly (number | null)[]): number[] {
  const found = scores.filter((score) => score !== null);
  const worst = Math.min(...found);
  const range = Math.max(...found) - worst;
  return scores.map((score) => (score === null ? 0 : range === 0 ? 1 : (score - worst) / range));
}
