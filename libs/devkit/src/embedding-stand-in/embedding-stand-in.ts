import { type IncomingHttpHeaders } from 'node:http';
import { type Answer, jsonAnswer } from '../http/answer.js';
import { FaultSet } from '../http/faults.js';
import {
  type RequestRecord,
  type StandInRequest,
  startStandInServer,
  type TokenSeen,
} from '../http/stand-in-server.js';
import { defaultEmbeddingSettings, type EmbeddingSettings } from './embedding-settings.js';
import { answerEmbeddings, type EmbeddingEffect, type EmbeddingWork } from './embeddings-endpoint.js';
import { badKey, LengthProblem, OpenAiProblem, plainOpenAiError } from './openai-error.js';

export interface EmbeddingStandInOptions {
  /** Default: a free port. */
  port?: number;
  /** Default: no key is required. */
  apiKey?: string;
}

export interface EmbeddingTotals {
  /** Requests for embeddings, including refused ones. */
  requests: number;
  /** Texts that were answered with a vector. */
  texts: number;
  tokens: number;
}

/** An OpenAI-compatible server whose vectors depend only on model and text: see {@link embeddingOf}. */
export interface EmbeddingStandIn {
  /** With `/v1`, without a trailing slash; use it as `EMBEDDING_URL`. */
  readonly url: string;
  /** Every request, oldest first. */
  readonly requests: readonly RequestRecord[];
  /** The answered requests for embeddings, oldest first. */
  readonly work: readonly EmbeddingWork[];
  readonly faults: FaultSet<EmbeddingEffect>;
  readonly settings: EmbeddingSettings;
  totals(): EmbeddingTotals;
  resetLog(): void;
  /** Repeating is harmless. */
  stop(): Promise<void>;
}

/** Starts `/v1/embeddings` and `/v1/models` on 127.0.0.1. */
export async function startEmbeddingStandIn(
  options: EmbeddingStandInOptions = {},
): Promise<EmbeddingStandIn> {
  const settings = defaultEmbeddingSettings();
  const faults = new FaultSet<EmbeddingEffect>();
  const requests: RequestRecord[] = [];
  const work: EmbeddingWork[] = [];
  const server = await startStandInServer<EmbeddingEffect>(
    {
      faults,
      record: (record) => requests.push(record),
      tokenSeen: (headers) => checkKey(headers, options.apiKey),
      answer: async (request) => answer(request, settings, options.apiKey, (done) => work.push(done)),
      errorAnswer: plainOpenAiError,
    },
    options.port ?? 0,
  );
  return {
    url: `${server.url}/v1`,
    requests,
    work,
    faults,
    settings,
    totals: () => ({
      requests: requests.filter(({ path }) => path === '/v1/embeddings').length,
      texts: work.reduce((sum, { contentHashes }) => sum + contentHashes.length, 0),
      tokens: work.reduce((sum, { tokens }) => sum + tokens, 0),
    }),
    resetLog: () => {
      requests.length = 0;
      work.length = 0;
    },
    stop: () => server.stop(),
  };
}

function answer(
  request: StandInRequest<EmbeddingEffect>,
  settings: EmbeddingSettings,
  apiKey: string | undefined,
  onWork: (work: EmbeddingWork) => void,
): Answer {
  try {
    if (apiKey !== undefined && checkKey(request.headers, apiKey) !== 'accepted') throw badKey();
    if (request.method === 'GET' && request.path === '/v1/models') return listModels(settings);
    if (request.method !== 'POST' || request.path !== '/v1/embeddings') throw unknownUrl(request);
    const done = answerEmbeddings(request.body, settings, request.effect);
    onWork(done.work);
    return done.answer;
  } catch (error) {
    if (error instanceof OpenAiProblem || error instanceof LengthProblem) return error.toAnswer();
    throw error;
  }
}

function listModels(settings: EmbeddingSettings): Answer {
  const data = settings.models.map(({ id }) => ({ id, object: 'model', created: 0, owned_by: 'devkit' }));
  return jsonAnswer(200, { object: 'list', data });
}

function unknownUrl({ method, path }: StandInRequest<EmbeddingEffect>): OpenAiProblem {
  return new OpenAiProblem(404, `Invalid URL (${method} ${path})`, 'unknown_url');
}

function checkKey(headers: IncomingHttpHeaders, apiKey: string | undefined): TokenSeen {
  const presented = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (presented === undefined) return 'absent';
  if (apiKey === undefined) return 'accepted';
  return presented === apiKey ? 'accepted' : 'rejected';
}
