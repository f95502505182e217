import { type Schemas } from '../service/client.js';
import { type Metrics, metricsOf } from './metrics.js';

export const MODES = ['hybrid', 'dense', 'lexical'] as const;
export type Mode = (typeof MODES)[number];

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
      ranks.push(rankOf(expected, await search({ query, mode, limit: DEPTH, ...filters })));
    }
    results.push({ mode, questions: questions.length, ...metricsOf(ranks) });
  }
  return results;
}

function rankOf(expected: string, hits: readonly Hit[]): number | null {
  const [, path = expected, line] = /^(.*):(\d+)$/.exec(expected) ?? [];
  const place = hits.findIndex(
    (hit) =>
      hit.path === path &&
      (line === undefined || (hit.start_line <= Number(line) && Number(line) <= hit.end_line)),
  );
  return place < 0 ? null : place + 1;
}
