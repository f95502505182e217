import { groupBy, type LaneScores } from '@core/domain';
import { nameFitOf, type Passage } from './name-fit.js';
import { kindOf } from './query.js';

interface Candidate {
  scores: LaneScores;
  payload: Passage & { repository_id: string };
}

/**
 * The share of the lexical lane; measured, see docs/decisions/2026-11-22-hybrid-search.md. A name is what its words say. The
 * built-in embedder knows words only, not sentences.
 */
const LEXICAL_SHARE = { name: 0.95, question: 0.5, questionByWords: 0.8 };
/** The names that a text defines, beside 1 for both lanes of a question together: what their fit above the least one counts. */
const NAMES = { weight: 1.3, leastFit: 0.3 };
/** What a file's second and third best chunk add to its best one: the words of a question are often spread over a file. */
const OTHER_CHUNKS = [0.3, 0.15];
/** Names are compared in the best candidates only: reading the texts takes most of the time of a fusion. */
const READ = 50;

export interface FusedScore {
  /** 0 to 1. */
  score: number;
  /** How well the names that the text defines fit the question, 0 to 1; null: they were not compared. */
  names: number | null;
}

/**
 * One score for each candidate of two lanes. The scores of each lane are scaled first: ranks alone would lose by
 * how much the best one is better, which decides for names.
 */
export function fusedScores(
  query: string,
  candidates: readonly Candidate[],
  embedder: 'trained' | 'built-in',
): FusedScore[] {
  const kind = kindOf(query);
  const lexical = scaled(candidates.map(({ scores }) => scores.lexical));
  const dense = scaled(candidates.map(({ scores }) => scores.dense));
  const share = LEXICAL_SHARE[kind === 'question' && embedder === 'built-in' ? 'questionByWords' : kind];
  const lanes = candidates.map((_, index) => share * lexical[index]! + (1 - share) * dense[index]!);
  if (kind === 'name') return lanes.map((score) => ({ score, names: null }));
  const least = lanes.toSorted((left, right) => right - left)[READ - 1] ?? 0;
  const fitOf = nameFitOf(query);
  const names = lanes.map((score, index) => (score >= least ? fitOf(candidates[index]!.payload) : null));
  const own = lanes.map(
    (score, index) => score + NAMES.weight * Math.max(0, (names[index] ?? 0) - NAMES.leastFit),
  );
  const scores = withOtherChunks(candidates, own);
  const [best, top] = [Math.max(...scores), Math.max(...lanes)];
  // The best hit has the best score of the lanes, so that `min_score` means the same for names and questions.
  return scores.map((score, index) => ({
    score: best === 0 ? score : (score * top) / best,
    names: names[index]!,
  }));
}

/** The best chunk of each file gets a part of the next ones' scores; those keep their own. */
function withOtherChunks(candidates: readonly Candidate[], scores: readonly number[]): number[] {
  const byFile = groupBy(candidates.keys(), (index) => {
    const { repository_id: repository, path } = candidates[index]!.payload;
    return `${repository} ${path}`;
  });
  const raised = [...scores];
  for (const chunks of byFile.values()) {
    const [best, ...others] = chunks.sort((left, right) => scores[right]! - scores[left]!);
    OTHER_CHUNKS.forEach((share, place) => (raised[best!]! += share * (scores[others[place] ?? -1] ?? 0)));
  }
  return raised;
}

/** The best is 1, the worst 0, and so is one that the lane did not find. */
function scaled(scores: readonly (number | null)[]): number[] {
  const found = scores.filter((score) => score !== null);
  const worst = Math.min(...found);
  const range = Math.max(...found) - worst;
  return scores.map((score) => (score === null ? 0 : range === 0 ? 1 : (score - worst) / range));
}
