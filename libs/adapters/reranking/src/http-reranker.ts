import { type Logger, type Reranker, RepotideError, throwIfAborted } from '@core/domain';
import { tlsDispatcher } from '@platform/tls';
import { type Dispatcher } from 'undici';
import { scoresIn } from './answer.js';
import { answerInvalid, translateNoAnswer, translateStatus } from './rerank-errors.js';

export interface HttpRerankerOptions {
  /** Base URL up to where `/rerank` follows, e.g. `http://reranker:8080` or `https://api.jina.ai/v1`. */
  url: string;
  /** Undefined: the server has one model and the API of Text Embeddings Inference. Otherwise Cohere's and Jina's API. */
  model: string | undefined;
  apiKey: string | undefined;
  /** `RERANK_TLS_DIR`: requests use TLS with its certificates. */
  tlsDir: string | undefined;
  /** Time limit of a request. */
  timeoutMs: number;
  logger: Logger;
}

/** Uses a server with `POST /rerank`. The constructor sends no request. */
export class HttpReranker implements Reranker {
  private readonly dispatcher: Dispatcher | undefined;

  constructor(private readonly options: HttpRerankerOptions) {
    const { tlsDir, logger } = options;
    const warn = (detail: string) => logger.warn({ detail }, 'certificates of RERANK_TLS_DIR');
    this.dispatcher = tlsDir === undefined ? undefined : tlsDispatcher(tlsDir, warn);
  }

  async rank(query: string, texts: readonly string[], signal: AbortSignal): Promise<number[]> {
    throwIfAborted(signal);
    const timeout = AbortSignal.timeout(this.options.timeoutMs);
    try {
      const answer = await this.send(query, texts, AbortSignal.any([signal, timeout]));
      return scoresIn(answer, texts.length);
    } catch (error) {
      throwIfAborted(signal);
      if (error instanceof RepotideError) throw error;
      throw translateNoAnswer(error, timeout.aborted, this.options);
    }
  }

  private async send(query: string, texts: readonly string[], signal: AbortSignal): Promise<unknown> {
    const { url, apiKey } = this.options;
    const answer = await fetch(`${url}/rerank`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify(this.bodyOf(query, texts)),
      // Not followed: the POST would become a GET, and the key would be sent along.
      redirect: 'manual',
      signal,
      dispatcher: this.dispatcher,
    } as RequestInit);
    // The text of an error answer may repeat the texts that were sent, so that it is not shown.
    const text = await answer.text();
    if (!answer.ok) throw translateStatus(answer, this.options);
    try {
      return JSON.parse(text);
    } catch {
      throw answerInvalid('it is not JSON');
    }
  }

  private bodyOf(query: string, texts: readonly string[]): object {
    const { model } = this.options;
    // `truncate`: otherwise one text that is longer than the model reads fails the whole request.
    if (model === undefined) return { query, texts, truncate: true };
    return { model, query, documents: texts, top_n: texts.length, return_documents: false };
  }
}
