import { RepotideError, throwIfAborted } from '@core/domain';
import { OpenAIEmbeddings } from '@langchain/openai';
import { answerInvalid, type ServerAccess, translateAnswer, translateNoAnswer } from './openai-errors.js';

export interface RawAnswer {
  /** One per text, in order, unchecked. */
  vectors: unknown[];
  /** All tokens that the server says it embedded; null: it does not say. */
  promptTokens: number | null;
}

/**
 * Sends one request, without retries.
 * @param dimensions sent to the server; undefined: the model decides.
 * @param onAnswer is called when the server begins to answer.
 */
export async function requestVectors(
  texts: string[],
  dimensions: number | undefined,
  server: ServerAccess,
  signal: AbortSignal,
  onAnswer: (headers: Headers) => void,
): Promise<RawAnswer> {
  throwIfAborted(signal);
  const timeout = AbortSignal.timeout(server.timeoutMs);
  const exchange = new Exchange(server, AbortSignal.any([signal, timeout]), onAnswer);
  try {
    const client = openClient(texts.length, dimensions, server, exchange.fetch);
    const vectors = await client.embedDocuments(texts);
    return { vectors, promptTokens: client.promptTokens };
  } catch (error) {
    throwIfAborted(signal);
    if (error instanceof RepotideError) throw error;
    if (exchange.refusal !== undefined) throw exchange.refusal;
    if (exchange.isComplete) throw answerInvalid('it is not JSON');
    throw translateNoAnswer(exchange.failure ?? error, timeout.aborted, server);
  }
}

/** LangChain's client, which also counts the vectors of an answer and sorts them by index. */
class CountedEmbeddings extends OpenAIEmbeddings<unknown[]> {
  promptTokens: number | null = null;

  protected override async embeddingWithRetry(request: { model: string; input: string[] }) {
    const answer = await super.embeddingWithRetry(request);
    const entries: unknown = answer?.data;
    if (!Array.isArray(entries)) throw answerInvalid('it has no list `data`');
    if (entries.length !== request.input.length) {
      throw answerInvalid(`${entries.length} vectors for ${request.input.length} texts`);
    }
    const tokens: unknown = answer.usage?.prompt_tokens;
    this.promptTokens = typeof tokens === 'number' && tokens > 0 ? tokens : null;
    return { ...answer, data: answer.data.toSorted((a, b) => a.index - b.index) };
  }
}

function openClient(
  batchSize: number,
  dimensions: number | undefined,
  server: ServerAccess,
  fetch: Exchange['fetch'],
): CountedEmbeddings {
  return new CountedEmbeddings({
    model: server.model,
    // Never undefined: the client would then send OPENAI_API_KEY, which is meant for another server.
    apiKey: server.apiKey ?? 'none',
    dimensions,
    batchSize,
    encodingFormat: 'float',
    stripNewLines: false,
    maxRetries: 0,
    onFailedAttempt: (error: unknown) => {
      throw error;
    },
    // `null`: ignore OPENAI_ORGANIZATION and OPENAI_PROJECT_ID. At level debug the client would log the texts.
    configuration: { baseURL: server.url, organization: null, project: null, logLevel: 'off', fetch },
  });
}

/** One HTTP exchange. Keeps what happened, because the client's errors lose status, headers and cause. */
class Exchange {
  refusal: RepotideError | undefined;
  failure: unknown;
  isComplete = false;

  constructor(
    private readonly server: ServerAccess,
    private readonly signal: AbortSignal,
    private readonly onAnswer: (headers: Headers) => void,
  ) {}

  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    try {
      return await this.exchange(input, init);
    } catch (error) {
      this.failure = error;
      throw error;
    }
  };

  private async exchange(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const headers = new Headers(init?.headers);
    if (this.server.apiKey === undefined) headers.delete('authorization');
    // Redirects are not followed: the POST would become a GET, and the key would be sent along.
    // Bytes, because a string would be copied three times.
    const body = typeof init?.body === 'string' ? Buffer.from(init.body) : init?.body;
    const { dispatcher } = this.server;
    const request = { ...init, body, headers, redirect: 'manual', signal: this.signal, dispatcher } as const;
    const answer = await fetch(input, request as RequestInit);
    this.onAnswer(answer.headers);
    if (!answer.ok) throw (this.refusal = await translateAnswer(answer, this.server));
    // Read here, so that a lost connection differs from an answer that is complete and wrong.
    const text = await answer.text();
    this.isComplete = true;
    return answerOf(text);
  }
}

/** A response whose text is parsed as it is, not encoded and decoded once more. */
function answerOf(text: string): Response {
  const response = new Response(null, { headers: { 'content-type': 'application/json' } });
  return Object.assign(response, {
    text: () => Promise.resolve(text),
    json: async () => JSON.parse(text) as unknown,
  });
}
