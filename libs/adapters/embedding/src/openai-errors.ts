import { proxyAdvice, reasonOfNoAnswer, RepotideError } from '@core/domain';
import { tlsAdvice } from '@platform/tls';
import { type Dispatcher } from 'undici';
import { readRetryAfter } from './rate-headers.js';

/** The facts that an error message may contain. */
export interface ServerFacts {
  url: string;
  model: string;
  apiKey: string | undefined;
  timeoutMs: number;
}

/** How requests reach the server. */
export interface ServerAccess extends ServerFacts {
  /** Absent: that of the process. */
  dispatcher: Dispatcher | undefined;
}

/** Statuses that refuse the input: too long, too many, or a parameter that the model does not know. */
const INPUT_REFUSALS: readonly unknown[] = [400, 413, 422];

const FEWER_REQUESTS = 'It asks for fewer requests: lower EMBEDDING_CONCURRENCY, or raise its limit.';

/** The refusal of a text, of a batch, or of a parameter. */
export function isInputRefusal(error: unknown): error is RepotideError {
  return error instanceof RepotideError && INPUT_REFUSALS.includes(error.details['status']);
}

/** The server said that a text, or the batch as a whole, has too many tokens. */
export function isTooLong(error: unknown): error is RepotideError {
  return error instanceof RepotideError && error.code === 'embedding_text_too_long';
}

/** Both a server in trouble and a text that the model cannot handle cause such a failure. */
export function maybeFaultOfText(error: unknown): error is RepotideError {
  if (!(error instanceof RepotideError)) return false;
  return isInputRefusal(error) || isServerError(error) || isAnswerInvalid(error);
}

function isServerError({ details }: RepotideError): boolean {
  return Number(details['status']) >= 500;
}

/** An answer that has no usable vector for each text. */
export function isAnswerInvalid(error: unknown): boolean {
  if (!(error instanceof RepotideError)) return false;
  return ['embedding_answer_invalid', 'embedding_dimension_mismatch'].includes(error.code);
}

/** The server may have been restarted, perhaps with another model: no answer came, or a proxy answered for it. */
export function isContactLost({ code, details }: RepotideError): boolean {
  return code === 'embedding_unavailable' && [undefined, 502, 503, 504].includes(details['status'] as number);
}

/**
 * How servers say that an input has too many tokens: OpenAI, vLLM, Text Embeddings Inference, Ollama, LM Studio,
 * llama.cpp (with status 500), Infinity, Mistral.
 */
const TOO_LONG = [
  /context[ _](length|size|window)|sequence length|n_ctx|input length/i,
  /\b(maximum|max|less than|fewer than|more than|exceed\w*|limit of)\b.{0,60}\b(tokens|characters)\b/i,
  /\btokens?\b.{0,60}\b(maximum|max|exceed\w*|limit|too (large|long|many))\b/i,
  /(input|text|prompt) is too (large|long|big)|too many tokens|should have at most \d+ characters/i,
];

/** The limit in a refusal, as in "maximum context length is 512 tokens" and "must have less than 512 tokens". */
const STATED_LIMIT =
  /(?:length|size|window|n_ctx|max\w*|than|limit)\b(?: is| of|:|=|,)* *\(?(\d{2,7})\b(?! characters)/i;

function tooLong(found: string, message: string, status: number): RepotideError {
  const stated = Number(STATED_LIMIT.exec(message)?.[1]);
  const limit = Number.isNaN(stated) ? {} : { max_input_tokens: stated };
  return new RepotideError('invalid', 'embedding_text_too_long', `${found} Expected a shorter text.`, {
    details: { status, ...limit },
  });
}

/** For a text of which the server embeds only the beginning. */
export function textCut(tokens: number, limit: number): RepotideError {
  const message = `A text of about ${tokens} tokens is longer than the ${limit} tokens that the embedding server embeds.`;
  return new RepotideError('invalid', 'embedding_text_too_long', message, {
    details: { max_input_tokens: limit },
  });
}

/** Translates an unsuccessful answer; reads its body. */
export async function translateAnswer(answer: Response, server: ServerFacts): Promise<RepotideError> {
  const body = parseBody(await answer.text());
  const { status } = answer;
  const found = `The embedding server at ${server.url} answered ${status}.`;
  const retryAt = readRetryAfter(answer.headers);
  const details = { status };
  const isRefusal = [...INPUT_REFUSALS, 500].includes(status);
  if (isRefusal && TOO_LONG.some((words) => words.test(body.message ?? body.code ?? ''))) {
    return tooLong(found, body.message ?? '', status);
  }
  if (status === 402 || [body.code, body.type].includes('insufficient_quota')) {
    const fix = 'Expected an account with credit; add some, or set EMBEDDING_API_KEY to another one.';
    return new RepotideError('forbidden', 'embedding_quota_exhausted', `${found} ${fix}`, { details });
  }
  if (status === 401 || status === 403) {
    const fix =
      server.apiKey === undefined
        ? 'Expected a key, and EMBEDDING_API_KEY is not set.'
        : `Expected a key that may use the model ${server.model}; check EMBEDDING_API_KEY.`;
    return new RepotideError('unauthorized', 'embedding_key_rejected', `${found} ${fix}`, { details });
  }
  if (status === 429) {
    return new RepotideError('rate_limited', 'embedding_rate_limited', `${found} ${FEWER_REQUESTS}`, {
      retryAt,
      details,
    });
  }
  if (status >= 500 || status === 408 || status === 425) {
    return new RepotideError('temporary', 'embedding_unavailable', found, { retryAt, details });
  }
  return new RepotideError('invalid', 'embedding_request_refused', `${found} ${adviceFor(status, server)}`, {
    details,
  });
}

function adviceFor(status: number, { model }: ServerFacts): string {
  if (status === 407) return `No request came through.${proxyAdvice(status)}`;
  if (status >= 300 && status < 400) {
    return 'Expected no redirect; set EMBEDDING_URL to the final address.';
  }
  if (status === 404 || status === 405) {
    return `Expected an OpenAI-compatible server that knows the model ${model}; check that EMBEDDING_URL ends where /embeddings begins (often /v1), and EMBEDDING_MODEL.`;
  }
  return `Expected it to accept texts for the model ${model}; check EMBEDDING_MODEL, EMBEDDING_DIMENSIONS, and that CHUNK_SIZE fits the model.`;
}

/** For a request that was not sent because the server asked for a pause. */
export function serverPaused({ url }: ServerFacts, retryAt: Date | undefined): RepotideError {
  const until = retryAt === undefined ? '' : ` until ${retryAt.toISOString()}`;
  const message = `The embedding server at ${url} takes no requests${until}. ${FEWER_REQUESTS}`;
  return new RepotideError('rate_limited', 'embedding_rate_limited', message, { retryAt });
}

/** Translates a request without an answer: refused, reset, unknown host, or timed out. */
export function translateNoAnswer(error: unknown, isTimeout: boolean, server: ServerFacts): RepotideError {
  if (isTimeout) {
    const seconds = server.timeoutMs / 1000;
    const message = `The embedding server at ${server.url} did not answer within ${seconds} s. If it is only slow, raise REQUEST_TIMEOUT_SECONDS or lower EMBEDDING_BATCH_SIZE.`;
    return new RepotideError('temporary', 'embedding_unavailable', message);
  }
  const reason = reasonOfNoAnswer(error);
  const message = `The embedding server at ${server.url} could not be reached${reason === null ? '' : ` (${reason})`}. Check that it runs and that EMBEDDING_URL is right.${proxyAdvice(reason)}${tlsAdvice(reason, 'EMBEDDING_TLS_DIR', server.url.startsWith('https:'))}`;
  return new RepotideError('temporary', 'embedding_unavailable', message, { cause: error });
}

interface ErrorBody {
  message?: string;
  code?: string;
  type?: string;
}

/** OpenAI nests its error, vLLM does not, FastAPI uses `detail`, Ollama has a string in `error`. */
function parseBody(text: string): ErrorBody {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return {};
  }
  if (typeof body !== 'object' || body === null) return {};
  const outer = body as Record<string, unknown>;
  if (typeof outer['error'] === 'string') return { message: outer['error'] };
  const inner = (outer['error'] ?? outer) as Record<string, unknown>;
  const [message, code, type] = [inner['message'] ?? inner['detail'], inner['code'], inner['type']].map(
    (value) => (typeof value === 'string' ? value : undefined),
  );
  return { message, code, type };
}

export function answerInvalid(found: string): RepotideError {
  const message = `The embedding server's answer cannot be used: ${found}. Expected one vector of finite numbers per text; check that EMBEDDING_URL and EMBEDDING_MODEL name an embedding model.`;
  return new RepotideError('temporary', 'embedding_answer_invalid', message);
}

export function dimensionMismatch(found: number, expected: number, model: string): RepotideError {
  const message = `The vectors of the model ${model} have the wrong length: found ${found} dimensions, expected ${expected}. Set EMBEDDING_DIMENSIONS=${found} to use them (everything is then embedded again), or choose a model with ${expected} dimensions.`;
  return new RepotideError('invalid', 'embedding_dimension_mismatch', message, {
    details: { found_dimensions: found, expected_dimensions: expected, setting: 'EMBEDDING_DIMENSIONS' },
  });
}
