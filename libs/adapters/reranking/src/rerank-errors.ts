import { parseRetryAfter, proxyAdvice, reasonOfNoAnswer, RepotideError } from '@core/domain';
import { tlsAdvice } from '@platform/tls';

/** The facts that an error message may contain. */
export interface ServerFacts {
  url: string;
  model: string | undefined;
  apiKey: string | undefined;
  timeoutMs: number;
}

export function translateStatus({ status, headers }: Response, server: ServerFacts): RepotideError {
  const found = `The reranker at ${server.url} answered ${status}.`;
  const details = { status };
  const retryAt = parseRetryAfter(headers.get('retry-after'), Date.now()) ?? undefined;
  if (status === 401 || status === 403) {
    const fix =
      server.apiKey === undefined
        ? 'Expected a key, and RERANK_API_KEY is not set.'
        : 'Expected a key that may use the model; check RERANK_API_KEY.';
    return new RepotideError('unauthorized', 'reranker_key_rejected', `${found} ${fix}`, { details });
  }
  if (status === 429) {
    const fix = 'It asks for fewer requests: raise its limit, or lower RERANK_CANDIDATES.';
    return new RepotideError('rate_limited', 'reranker_rate_limited', `${found} ${fix}`, {
      retryAt,
      details,
    });
  }
  if (status >= 500 || status === 408 || status === 425)
    return new RepotideError('temporary', 'reranker_unavailable', found, { retryAt, details });
  return new RepotideError('invalid', 'reranker_request_refused', `${found} ${adviceFor(status, server)}`, {
    details,
  });
}

function adviceFor(status: number, { model }: ServerFacts): string {
  if (status === 407) return `No request came through.${proxyAdvice(status)}`;
  if (status >= 300 && status < 400) return 'Expected no redirect; set RERANK_URL to the final address.';
  if (status === 404 || status === 405)
    return 'Expected a server with POST /rerank; check that RERANK_URL ends where /rerank begins, and RERANK_MODEL.';
  if (status === 424) return 'Expected a server that runs a reranker model; it runs a model of another kind.';
  const form =
    model === undefined
      ? 'the body of Text Embeddings Inference, because RERANK_MODEL is not set'
      : `the body of Cohere and Jina for the model ${model}`;
  return `Expected it to accept ${form}; check RERANK_MODEL, and lower RERANK_CANDIDATES or RERANK_MAX_CHARACTERS if it accepts fewer or shorter texts.`;
}

/** A request without an answer: refused, reset, unknown host, or timed out. */
export function translateNoAnswer(error: unknown, isTimeout: boolean, server: ServerFacts): RepotideError {
  if (isTimeout) {
    const message = `The reranker at ${server.url} did not answer within ${server.timeoutMs} ms. Raise RERANK_TIMEOUT_MS, or lower RERANK_CANDIDATES.`;
    return new RepotideError('temporary', 'reranker_unavailable', message);
  }
  const reason = reasonOfNoAnswer(error);
  const message = `The reranker at ${server.url} could not be reached${reason === null ? '' : ` (${reason})`}. Check that it runs and that RERANK_URL is right.${proxyAdvice(reason)}${tlsAdvice(reason, 'RERANK_TLS_DIR', server.url.startsWith('https:'))}`;
  return new RepotideError('temporary', 'reranker_unavailable', message, { cause: error });
}

export function answerInvalid(found: string): RepotideError {
  const message = `The reranker's answer cannot be used: ${found}. Expected one score per text; check RERANK_URL and RERANK_MODEL.`;
  return new RepotideError('temporary', 'reranker_answer_invalid', message);
}
