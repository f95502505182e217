import { type Answer, jsonAnswer } from '../http/answer.js';
import { FaultSet } from '../http/faults.js';
import { type StandInRequest, startStandInServer, type TokenSeen } from '../http/stand-in-server.js';

/** Wrong answers with status 200. */
export type RerankingEffect =
  /** The last score is missing. */
  | { kind: 'wrong_count' }
  /** The first score is null, as JSON writes NaN. */
  | { kind: 'not_a_number' };

export interface RerankingStandInOptions {
  /** `tei`: Text Embeddings Inference with one model; `cohere`: Cohere, Jina, vLLM. */
  form: 'tei' | 'cohere';
  /** Default: no key is required. */
  apiKey?: string;
  /** Default: the share of the query's words that the text contains. */
  scoreOf?: (query: string, text: string) => number;
}

/** A request as the log stores it. */
export interface RerankingWork {
  model: string | null;
  query: string;
  texts: string[];
}

export interface RerankingStandIn {
  /** Use it as `RERANK_URL`. */
  readonly url: string;
  /** The answered requests, oldest first. */
  readonly work: readonly RerankingWork[];
  readonly faults: FaultSet<RerankingEffect>;
  resetLog(): void;
  /** Repeating is harmless. */
  stop(): Promise<void>;
}

/** The default of `--max-client-batch-size` in Text Embeddings Inference. */
const MAX_TEXTS = 32;

/** Starts `POST /rerank` on 127.0.0.1. */
export async function startRerankingStandIn(options: RerankingStandInOptions): Promise<RerankingStandIn> {
  const faults = new FaultSet<RerankingEffect>();
  const work: RerankingWork[] = [];
  const server = await startStandInServer<RerankingEffect>(
    {
      faults,
      record: () => undefined,
      tokenSeen: ({ authorization }) => checkKey(authorization, options.apiKey),
      answer: async (request) => answer(request, options, (done) => work.push(done)),
      errorAnswer: (status) => problem(status, 'injected'),
    },
    0,
  );
  return {
    url: server.url,
    work,
    faults,
    resetLog: () => void (work.length = 0),
    stop: () => server.stop(),
  };
}

function answer(
  { method, path, headers, body, effect }: StandInRequest<RerankingEffect>,
  { form, apiKey, scoreOf = shareOfWords }: RerankingStandInOptions,
  onWork: (work: RerankingWork) => void,
): Answer {
  if (apiKey !== undefined && checkKey(headers.authorization, apiKey) !== 'accepted')
    return problem(401, 'invalid api token');
  if (method !== 'POST' || path !== '/rerank') return problem(404, 'not found');
  const { query, ...sent } = JSON.parse(body.toString()) as Record<string, unknown>;
  const texts = sent[form === 'tei' ? 'texts' : 'documents'] as string[] | undefined;
  if (typeof query !== 'string' || !Array.isArray(texts)) return problem(422, 'missing field');
  if (form === 'cohere' && typeof sent['model'] !== 'string') return problem(422, 'model is required');
  if (form === 'tei' && texts.length > MAX_TEXTS)
    return problem(413, `batch size ${texts.length} > maximum allowed batch size ${MAX_TEXTS}`);
  onWork({ model: (sent['model'] as string | undefined) ?? null, query, texts });
  const scores = texts
    .map((text, index) => ({ index, score: scoreOf(query, text) }))
    .sort((left, right) => right.score - left.score);
  return jsonAnswer(200, inForm(form, distort(scores, effect)));
}

type Score = { index: number; score: number | null };

function inForm(form: 'tei' | 'cohere', scores: readonly Score[]): unknown {
  if (form === 'tei') return scores;
  return { id: 'rerank-1', results: scores.map(({ index, score }) => ({ index, relevance_score: score })) };
}

function distort(scores: Score[], effect: RerankingEffect | null): Score[] {
  if (effect?.kind === 'wrong_count') return scores.slice(0, -1);
  if (effect?.kind === 'not_a_number') return scores.with(0, { ...scores[0]!, score: null });
  return scores;
}

function shareOfWords(query: string, text: string): number {
  const words = query.toLowerCase().split(/\W+/).filter(Boolean);
  const found = new Set(text.toLowerCase().split(/\W+/));
  return words.filter((word) => found.has(word)).length / Math.max(1, words.length);
}

function problem(status: number, error: string): Answer {
  return jsonAnswer(status, { error, error_type: 'Validation' });
}

function checkKey(authorization: string | undefined, apiKey: string | undefined): TokenSeen {
  const presented = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (presented === undefined) return 'absent';
  return apiKey === undefined || presented === apiKey ? 'accepted' : 'rejected';
}
