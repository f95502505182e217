import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  CircuitBreaker,
  Clock,
  Logger,
  type RepotideError,
  Reranker,
  type SearchLane,
  throwIfAborted,
  toRepotideError,
} from '@core/domain';
import { queryOf } from '@core/search';
import { type Config } from '@platform/config';
import { CONFIG } from '../../injection-tokens.js';
import { Metrics } from '../../metrics/metrics.js';
import { type Matching } from './matching.js';
import { type MergedHit } from './merge-hits.js';
import { LastUsed } from '../last-used.js';
import { passageOf } from './snippet.js';

/** What the reranker did with the hits of an answer. */
export interface Reranking {
  /** `off`: not configured or not wanted for this query. `failed`: the hits have the order without the reranker. */
  status: 'applied' | 'failed' | 'off';
  /** The best hits that it ordered. */
  candidates: number;
  errorCode: string | null;
  error: string | null;
}

export interface RerankedHits {
  hits: MergedHit[];
  reranking: Reranking;
}

export const NO_RERANKING: Reranking = { status: 'off', candidates: 0, errorCode: null, error: null };

const PAUSE_MS = 30_000;
/** Pages and filters repeat a query; an entry has a number for each candidate. */
const MOST_KEPT = 500;

/** Orders the best hits of a search by a reranker. */
@Injectable()
export class RerankingService {
  private readonly circuit: CircuitBreaker;
  private readonly kept = new LastUsed<number[]>(MOST_KEPT);

  constructor(
    @Inject(Reranker) private readonly reranker: Reranker | null,
    @Inject(CONFIG) private readonly config: Config,
    private readonly metrics: Metrics,
    logger: Logger,
    private readonly clock: Clock,
  ) {
    this.circuit = new CircuitBreaker({
      pauseMs: PAUSE_MS,
      monotonicMs: () => clock.monotonicMs(),
      reasonOf: (thrown) => toRepotideError(thrown).message,
      verdictOf: (thrown) => (toRepotideError(thrown).kind === 'cancelled' ? 'none' : 'failure'),
      onChange: (state, reason) => {
        if (state === 'closed') logger.info({ state }, 'hits are reranked again');
        else logger.warn({ state, reason }, 'hits are not reranked for now; searches continue');
      },
    });
  }

  /**
   * Default: questions, whose words differ from those of the code. What defines a name is found by the words themselves.
   * @param requested by the caller; undefined: the default.
   */
  isWanted(query: string, mode: SearchLane, requested: boolean | undefined): boolean {
    return requested ?? (mode !== 'lexical' && queryOf(query).kind === 'question');
  }

  /** Best first; hits beyond the candidates follow in their order. A failure of the reranker keeps the order of all. */
  async rerank(
    query: string,
    hits: readonly MergedHit[],
    matching: Matching,
    signal: AbortSignal,
  ): Promise<RerankedHits> {
    const { reranking: settings } = this.config;
    if (!settings || hits.length < 2) return { hits: [...hits], reranking: NO_RERANKING };
    const { candidates, maxCharacters } = settings;
    const best = hits.slice(0, candidates);
    const texts = best.map(({ best: { payload } }) =>
      passageOf(payload.path, payload.text, matching.scorerOf(payload.text), maxCharacters),
    );
    const scores = await this.scoresOf(query.slice(0, maxCharacters).toWellFormed(), texts, signal);
    if (!Array.isArray(scores)) return { hits: [...hits], reranking: failed(scores) };
    const reranked = best.map((hit, index) => ({ ...hit, relevance: scores[index]! }));
    reranked.sort((left, right) => right.relevance - left.relevance);
    return {
      hits: [...reranked, ...hits.slice(candidates)],
      reranking: { ...NO_RERANKING, status: 'applied', candidates: best.length },
    };
  }

  /** @returns why there are none. @throws when the caller left. */
  private async scoresOf(
    query: string,
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<number[] | RepotideError | null> {
    const key = createHash('sha256')
      .update(JSON.stringify([query, texts]))
      .digest('base64url');
    const kept = this.kept.get(key);
    const { rerankings } = this.metrics;
    if (kept) {
      rerankings.inc({ outcome: 'cached' });
      return kept;
    }
    let failure: RepotideError | null = null;
    const scores = await this.circuit.run(async () => {
      try {
        return await this.request(query, texts, signal);
      } catch (error) {
        failure = toRepotideError(error);
        throw error;
      }
    }, null);
    throwIfAborted(signal);
    if (scores) this.kept.set(key, scores);
    rerankings.inc({ outcome: scores ? 'applied' : failure ? 'failed' : 'paused' });
    return scores ?? failure;
  }

  private async request(query: string, texts: readonly string[], signal: AbortSignal): Promise<number[]> {
    const startedAt = this.clock.monotonicMs();
    try {
      return await this.reranker!.rank(query, texts, signal);
    } finally {
      this.metrics.rerankSeconds.observe((this.clock.monotonicMs() - startedAt) / 1000);
    }
  }
}

/** @param reason null: the reranker was not tried. */
function failed(reason: RepotideError | null): Reranking {
  const paused = `The reranker failed several times in a row, so that searches do without it for ${PAUSE_MS / 1000} s.`;
  return {
    status: 'failed',
    candidates: 0,
    errorCode: reason?.code ?? 'reranker_paused',
    error: reason?.message ?? paused,
  };
}
