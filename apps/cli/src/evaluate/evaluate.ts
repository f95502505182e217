import { metricsOf, rankOf, type Metrics } from '@core/search';
import { type Schemas } from '../service/client.js';

export type Mode = 'hybrid' | 'dense' | 'lexical';

export interface Question {
  question: string;
  /** A path, or `path:line`. */
  expected: string;
  /** Full path of a project, or `<path>@<branch>`; absent: all. */
  repository?: string;
}

type Hit = Pick<Schemas['SearchHitDto'], 'path' | 'start_line' | 'end_line'>;
type Search = (body: Schemas['SearchRequestDto']) => Promise<readonly Hit[]>;

/** Deep enough for all metrics. */
const DEPTH = 10;

export interface Evaluation extends Metrics {
  mode: Mode;
  questions: number;
}

/** How well each mode finds the expected places: by the rank of the first hit there. */
export async function evaluate(
  questions: readonly Question[],
  modes: readonly Mode[],
  search: Search,
): Promise<Evaluation[]> {
  const results: Evaluation[] = [];
  for (const mode of modes) {
    const ranks: (number | null)[] = [];
    for (const { question: query, expected, repository } of questions) {
      const filters = repository === undefined ? {} : { repositories: [repository] };
      const hits = await search({ query, mode, limit: DEPTH, ...filters });
      ranks.push(rankOf(expected, hits.map(placeOf)));
    }
    results.push({ mode, questions: questions.length, ...metricsOf(ranks) });
  }
  return results;
}

function placeOf({ path, start_line: startLine, end_line: endLine }: Hit) {
  return { path, startLine, endLine };
}
