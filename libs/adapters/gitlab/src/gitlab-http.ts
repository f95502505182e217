import { type IncomingHttpHeaders } from 'node:http';
import { type BlobContent, type SourceUsage, throwIfAborted } from '@core/domain';
import { forwardAbort, withDeadline } from './deadline.js';
import { Exchange, type ExchangeOptions, type Question } from './exchange.js';
import { answerInvalid, type Counterpart, failureOfConnection } from './failure.js';
import { type Apart, type HostTurns, type Turn } from './host-turns.js';
import { type Pacing } from './pacing.js';
import { readSteadily } from './steady-body.js';

/** A page of 100 tree entries is below 1 MB; a comparison holds its patches, 5 KB for each of 3000 files at most. */
const MAX_JSON_BYTES = 16 * 1024 * 1024;
/** An answer that drips without ever pausing must end too. */
const WHOLE_ANSWER_FACTOR = 10;

export interface GitLabHttpOptions extends ExchangeOptions {
  turns: HostTurns;
  pacing: Pacing;
}

export interface JsonAnswer {
  headers: IncomingHttpHeaders;
  json: unknown;
}

interface Answer {
  headers: IncomingHttpHeaders;
  content: BlobContent;
}

interface Call extends Question {
  maxBytes: number;
  /** The budget that it counts in beside the general one. */
  apart: Apart;
  /** What has another way is repeated after a rate limit only: at other failures the caller takes that way. */
  isOnce?: boolean;
}

/** Reading requests to one GitLab as one token: repeated when that helps, translated when they fail, counted always. */
export class GitLabHttp {
  readonly #exchange: Exchange;

  constructor(private readonly options: GitLabHttpOptions) {
    this.#exchange = new Exchange(options);
  }

  get counterpart(): Counterpart {
    return this.#exchange.counterpart;
  }

  usage(): SourceUsage {
    return { ...this.#exchange.usage, retries: this.options.pacing.retries };
  }

  /**
   * @param endpoint below `/api/v4/`, encoded, with its query.
   * @param options.once for calls that have another way: only a rate limit is waited out.
   */
  async getJson(
    endpoint: string,
    signal: AbortSignal,
    options: { once?: boolean } = {},
  ): Promise<JsonAnswer> {
    const url = this.#restUrl(endpoint);
    const call = { url, maxBytes: MAX_JSON_BYTES, apart: null, isOnce: options.once ?? false };
    const { headers, content } = await this.#get(call, signal);
    if (content.kind === 'too_large')
      throw answerInvalid(this.counterpart, `more than ${MAX_JSON_BYTES} bytes of JSON`);
    return { headers, json: this.#parse(headers, content.bytes) };
  }

  /** A file's body as it came, or `too_large` after reading no more than it takes to know. */
  async getFile(endpoint: string, maxBytes: number, signal: AbortSignal): Promise<BlobContent> {
    const call: Call = { url: this.#restUrl(endpoint), maxBytes, apart: { name: 'files' } };
    return (await this.#get(call, signal)).content;
  }

  /** A GraphQL query, which changes nothing and so may be repeated. Null when the answer is longer than `maxBytes`. */
  async queryGraphql(
    query: string,
    variables: object,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<{ json: unknown } | null> {
    const url = new URL(`${this.options.baseUrl}/api/graphql`);
    const body = JSON.stringify({ query, variables });
    const { headers, content } = await this.#get({ url, maxBytes, apart: null, body }, signal);
    return content.kind === 'too_large' ? null : { json: this.#parse(headers, content.bytes) };
  }

  /**
   * An archive's body as it comes, however long it is and however slowly it is read. Asked once: what has been handed
   * over cannot be taken back. It is under way for the host's budget until it begins to come: whoever reads it may be
   * waiting for another host.
   * @param scope whose archives are limited together.
   */
  async *streamArchive(endpoint: string, scope: string, signal: AbortSignal): AsyncGenerator<Buffer> {
    throwIfAborted(signal);
    const call: Call = { url: this.#restUrl(endpoint), maxBytes: 0, apart: { name: 'archive', scope } };
    const turn = await this.options.turns.take(call.apart, signal);
    const limitMs = this.options.requestTimeoutMs * WHOLE_ANSWER_FACTOR;
    const { controller, stop } = forwardAbort(signal);
    try {
      const { body } = await withDeadline(controller.signal, limitMs, () =>
        this.#exchange.ask(call, turn, controller.signal),
      ).finally(() => turn.release());
      yield* readSteadily(body, limitMs, (bytes) => {
        this.#exchange.usage.bytes += bytes;
      });
    } catch (thrown) {
      throwIfAborted(signal);
      throw failureOfConnection(this.counterpart, thrown);
    } finally {
      stop();
      controller.abort();
    }
  }

  async #get(call: Call, signal: AbortSignal): Promise<Answer> {
    const { pacing, turns } = this.options;
    for (let retries = 0; ; retries += 1) {
      throwIfAborted(signal);
      // Outside of the time limit: how long it takes is not up to the host.
      const turn = await turns.take(call.apart, signal);
      try {
        return await this.#attempt(call, turn, signal);
      } catch (thrown) {
        throwIfAborted(signal);
        const failure = failureOfConnection(this.counterpart, thrown);
        if (call.isOnce === true && failure.kind !== 'rate_limited') throw failure;
        turn.release();
        await pacing.waitToRepeat(failure, retries, this.#exchange.usage.requests, signal);
      } finally {
        turn.release();
      }
    }
  }

  #attempt(call: Call, turn: Turn, signal: AbortSignal): Promise<Answer> {
    const limitMs = this.options.requestTimeoutMs * WHOLE_ANSWER_FACTOR;
    return withDeadline(signal, limitMs, async (limited) => {
      const answer = await this.#exchange.ask(call, turn, limited);
      return { headers: answer.headers, content: await this.#exchange.read(answer, call.maxBytes) };
    });
  }

  #restUrl(endpoint: string): URL {
    return new URL(`${this.options.baseUrl}/api/v4/${endpoint}`);
  }

  #parse(headers: IncomingHttpHeaders, bytes: Uint8Array): unknown {
    try {
      return JSON.parse(Buffer.from(bytes).toString('utf8')) as unknown;
    } catch {
      throw answerInvalid(
        this.counterpart,
        `expected JSON, found content-type "${headers['content-type'] ?? ''}"`,
      );
    }
  }
}
