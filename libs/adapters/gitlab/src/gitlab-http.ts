import { type IncomingHttpHeaders } from 'node:http';
import { type BlobContent, type RepotideError, type SourceUsage, throwIfAborted } from '@core/domain';
import { type Dispatcher, request } from 'undici';
import { dropBody, readBody } from './body.js';
import { forwardAbort, withDeadline } from './deadline.js';
import {
  answerInvalid,
  type Counterpart,
  failureOfAnswer,
  failureOfConnection,
  redirectRefused,
} from './failure.js';
import { type Pacing } from './pacing.js';
import { readSteadily } from './steady-body.js';

/** GitLab redirects once, for a moved project; proxies may add one or two. */
const MAX_REDIRECTS = 5;
/** A page of 100 tree entries is below 1 MB; a comparison holds its patches, 5 KB for each of 3000 files at most. */
const MAX_JSON_BYTES = 16 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;
/** An answer that drips without ever pausing must end too. */
const WHOLE_ANSWER_FACTOR = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The token to send with the next request; null: none. */
export interface Bearer {
  readonly token: string | null;
  /** After a 401: whether there is another token now, so that the request is worth repeating. */
  renew?(refused: string | null, signal: AbortSignal): Promise<boolean>;
}

export interface GitLabHttpOptions {
  baseUrl: string;
  bearer: Bearer;
  /** Holds the connections, and by their number bounds the requests in flight. */
  dispatcher: Dispatcher;
  /** For connecting, for the headers, and between two parts of the body, each; ten times that for the whole. */
  requestTimeoutMs: number;
  userAgent: string;
  pacing: Pacing;
  now(): Date;
}

export interface JsonAnswer {
  headers: IncomingHttpHeaders;
  json: unknown;
}

interface Answer {
  headers: IncomingHttpHeaders;
  content: BlobContent;
}

interface Call {
  url: URL;
  maxBytes: number;
  /** JSON to post; without it the call is a GET. */
  body?: string;
  /** What has another way is repeated after a rate limit only: at other failures the caller takes that way. */
  isOnce?: boolean;
}

/** Reading requests to one GitLab as one token: repeated when that helps, translated when they fail, counted always. */
export class GitLabHttp {
  readonly #usage: SourceUsage = { requests: 0, bytes: 0 };

  constructor(private readonly options: GitLabHttpOptions) {}

  get counterpart(): Counterpart {
    const { baseUrl, bearer } = this.options;
    return { baseUrl, token: bearer.token };
  }

  usage(): SourceUsage {
    return { ...this.#usage };
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
    const call = { url: this.#restUrl(endpoint), maxBytes: MAX_JSON_BYTES, isOnce: options.once ?? false };
    const { headers, content } = await this.#get(call, signal);
    if (content.kind === 'too_large')
      throw answerInvalid(this.counterpart, `more than ${MAX_JSON_BYTES} bytes of JSON`);
    return { headers, json: this.#parse(headers, content.bytes) };
  }

  /** The body as it came, or `too_large` after reading no more than it takes to know. */
  async getBytes(endpoint: string, maxBytes: number, signal: AbortSignal): Promise<BlobContent> {
    return (await this.#get({ url: this.#restUrl(endpoint), maxBytes }, signal)).content;
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
    const { headers, content } = await this.#get({ url, maxBytes, body }, signal);
    return content.kind === 'too_large' ? null : { json: this.#parse(headers, content.bytes) };
  }

  /**
   * The body as it comes, however long it is and however slowly it is read. Asked once: what has been handed over
   * cannot be taken back.
   */
  async *stream(endpoint: string, signal: AbortSignal): AsyncGenerator<Buffer> {
    throwIfAborted(signal);
    await this.options.pacing.waitForQuota(signal);
    const limitMs = this.options.requestTimeoutMs * WHOLE_ANSWER_FACTOR;
    const { controller, stop } = forwardAbort(signal);
    try {
      const call = { url: this.#restUrl(endpoint), maxBytes: 0 };
      const { body } = await withDeadline(controller.signal, limitMs, () =>
        this.#open(call, controller.signal),
      );
      yield* readSteadily(body, limitMs, (bytes) => {
        this.#usage.bytes += bytes;
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
    const limitMs = this.options.requestTimeoutMs * WHOLE_ANSWER_FACTOR;
    const { pacing } = this.options;
    for (let retries = 0; ; retries += 1) {
      throwIfAborted(signal);
      await pacing.waitForQuota(signal);
      try {
        return await withDeadline(signal, limitMs, (limited) => this.#attempt(call, limited));
      } catch (thrown) {
        throwIfAborted(signal);
        const failure = failureOfConnection(this.counterpart, thrown);
        if (call.isOnce === true && failure.kind !== 'rate_limited') throw failure;
        await pacing.waitToRepeat(failure, retries, signal);
      }
    }
  }

  async #attempt(call: Call, signal: AbortSignal): Promise<Answer> {
    const answer = await this.#open(call, signal);
    return { headers: answer.headers, content: await this.#read(answer, call.maxBytes) };
  }

  /** Sends the request, follows redirects within the origin, and leaves the body to be read. */
  async #open(call: Call, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    let { url } = call;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const answer = await this.#sendRenewing(url, call.body, signal);
      if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
      const target = this.#redirectTarget(answer, url);
      if (target === null) throw await this.#failure(answer);
      dropBody(answer.body);
      if (target.origin !== call.url.origin) throw redirectRefused(this.counterpart, target);
      url = target;
    }
    throw answerInvalid(this.counterpart, `more than ${MAX_REDIRECTS} redirects`);
  }

  async #sendRenewing(
    url: URL,
    body: string | undefined,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const { bearer } = this.options;
    const sent = bearer.token;
    const answer = await this.#send(url, body, signal);
    if (answer.statusCode !== 401 || bearer.renew === undefined) return answer;
    const bodyText = await this.#errorText(answer);
    if (await bearer.renew(sent, signal)) return this.#send(url, body, signal);
    const { statusCode: status, headers } = answer;
    throw failureOfAnswer(this.counterpart, { status, headers, bodyText }, this.options.now());
  }

  #send(url: URL, body: string | undefined, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const { dispatcher, userAgent, requestTimeoutMs } = this.options;
    const { token } = this.options.bearer;
    this.#usage.requests += 1;
    return request(url, {
      dispatcher,
      signal,
      headersTimeout: requestTimeoutMs,
      bodyTimeout: requestTimeoutMs,
      ...(body === undefined ? {} : { method: 'POST', body }),
      headers: {
        accept: '*/*',
        // Blob bytes are hashed: nothing on the way may re-encode them.
        'accept-encoding': 'identity',
        'user-agent': userAgent,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
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

  #read(answer: Dispatcher.ResponseData, maxBytes: number): Promise<BlobContent> {
    return readBody(answer, maxBytes, (bytes) => {
      this.#usage.bytes += bytes;
    });
  }

  #redirectTarget({ statusCode, headers }: Dispatcher.ResponseData, from: URL): URL | null {
    const location = headers['location'];
    if (!REDIRECTS.has(statusCode) || typeof location !== 'string') return null;
    return URL.canParse(location, from.href) ? new URL(location, from) : null;
  }

  async #failure(answer: Dispatcher.ResponseData): Promise<RepotideError> {
    const { statusCode: status, headers } = answer;
    const bodyText = await this.#errorText(answer);
    return failureOfAnswer(this.counterpart, { status, headers, bodyText }, this.options.now());
  }

  async #errorText(answer: Dispatcher.ResponseData): Promise<string> {
    try {
      const content = await this.#read(answer, MAX_ERROR_BYTES);
      return content.kind === 'bytes' ? Buffer.from(content.bytes).toString('utf8') : '';
    } catch {
      // The status has been received and says more than a body that broke off.
      return '';
    }
  }
}
