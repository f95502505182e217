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
import { type Apart, type HostTurns, type Turn } from './host-turns.js';
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
  /** Holds the connections. */
  dispatcher: Dispatcher;
  /** For connecting, for the headers, and between two parts of the body, each; ten times that for the whole. */
  requestTimeoutMs: number;
  userAgent: string;
  turns: HostTurns;
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
  /** The budget that it counts in beside the general one. */
  apart: Apart;
  /** JSON to post; without it the call is a GET. */
  body?: string;
  /** What has another way is repeated after a rate limit only: at other failures the caller takes that way. */
  isOnce?: boolean;
}

/** Reading requests to one GitLab as one token: repeated when that helps, translated when they fail, counted always. */
export class GitLabHttp {
  readonly #usage = { requests: 0, bytes: 0 };

  constructor(private readonly options: GitLabHttpOptions) {}

  get counterpart(): Counterpart {
    const { baseUrl, bearer } = this.options;
    return { baseUrl, token: bearer.token };
  }

  usage(): SourceUsage {
    return { ...this.#usage, retries: this.options.pacing.retries };
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
        this.#open(call, turn, controller.signal),
      ).finally(() => turn.release());
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
        await pacing.waitToRepeat(failure, retries, this.#usage.requests, signal);
      } finally {
        turn.release();
      }
    }
  }

  #attempt(call: Call, turn: Turn, signal: AbortSignal): Promise<Answer> {
    const limitMs = this.options.requestTimeoutMs * WHOLE_ANSWER_FACTOR;
    return withDeadline(signal, limitMs, async (limited) => {
      const answer = await this.#open(call, turn, limited);
      return { headers: answer.headers, content: await this.#read(answer, call.maxBytes) };
    });
  }

  /** Sends the request, follows redirects within the origin, and leaves the body to be read. */
  async #open(call: Call, turn: Turn, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    let { url } = call;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      if (redirects > 0) await turn.again(signal);
      const answer = await this.#sendRenewing(url, call.body, turn, signal);
      if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
      const target = this.#redirectTarget(answer, url);
      if (target === null) throw await this.#failure(answer, turn);
      dropBody(answer.body);
      if (target.origin !== call.url.origin) throw redirectRefused(this.counterpart, target);
      url = target;
    }
    throw answerInvalid(this.counterpart, `more than ${MAX_REDIRECTS} redirects`);
  }

  async #sendRenewing(
    url: URL,
    body: string | undefined,
    turn: Turn,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const { bearer } = this.options;
    const sent = bearer.token;
    const answer = await this.#send(url, body, turn, signal);
    if (answer.statusCode !== 401 || bearer.renew === undefined) return answer;
    const bodyText = await this.#errorText(answer);
    if (await bearer.renew(sent, signal)) {
      await turn.again(signal);
      return this.#send(url, body, turn, signal);
    }
    const { statusCode: status, headers } = answer;
    throw failureOfAnswer(this.counterpart, { status, headers, bodyText }, this.options.now());
  }

  async #send(
    url: URL,
    body: string | undefined,
    turn: Turn,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const { dispatcher, userAgent, requestTimeoutMs } = this.options;
    const { token } = this.options.bearer;
    this.#usage.requests += 1;
    const answer = await request(url, {
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
    turn.answered(answer.headers);
    return answer;
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

  async #failure(answer: Dispatcher.ResponseData, turn: Turn): Promise<RepotideError> {
    const { statusCode: status, headers } = answer;
    if (status === 429) await turn.refused(headers);
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
