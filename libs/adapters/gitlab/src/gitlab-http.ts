import { type IncomingHttpHeaders } from 'node:http';
import { type BlobContent, type RepotideError, type SourceUsage, throwIfAborted } from '@core/domain';
import { type Dispatcher, request } from 'undici';
import { dropBody, readBody } from './body.js';
import { withDeadline } from './deadline.js';
import {
  answerInvalid,
  type Counterpart,
  failureOfAnswer,
  failureOfConnection,
  redirectRefused,
} from './failure.js';
import { type Pacing } from './pacing.js';

/** GitLab redirects once, for a moved project; proxies may add one or two. */
const MAX_REDIRECTS = 5;
/** A page of 100 tree entries is below 1 MB. */
const MAX_JSON_BYTES = 16 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;
/** An answer that drips without ever pausing must end too. */
const WHOLE_ANSWER_FACTOR = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export interface GitLabHttpOptions extends Counterpart {
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

/** GET requests to one GitLab as one token: repeated when that helps, translated when they fail, counted always. */
export class GitLabHttp {
  readonly #usage: SourceUsage = { requests: 0, bytes: 0 };

  constructor(private readonly options: GitLabHttpOptions) {}

  get counterpart(): Counterpart {
    return this.options;
  }

  usage(): SourceUsage {
    return { ...this.#usage };
  }

  /** @param endpoint below `/api/v4/`, encoded, with its query. */
  async getJson(endpoint: string, signal: AbortSignal): Promise<JsonAnswer> {
    const { headers, content } = await this.#get(endpoint, MAX_JSON_BYTES, signal);
    if (content.kind === 'too_large')
      throw answerInvalid(this.options, `more than ${MAX_JSON_BYTES} bytes of JSON`);
    try {
      return { headers, json: JSON.parse(Buffer.from(content.bytes).toString('utf8')) as unknown };
    } catch {
      throw answerInvalid(
        this.options,
        `expected JSON, found content-type "${headers['content-type'] ?? ''}"`,
      );
    }
  }

  /** The body as it came, or `too_large` after reading no more than it takes to know. */
  async getBytes(endpoint: string, maxBytes: number, signal: AbortSignal): Promise<BlobContent> {
    return (await this.#get(endpoint, maxBytes, signal)).content;
  }

  async #get(endpoint: string, maxBytes: number, signal: AbortSignal): Promise<Answer> {
    const url = new URL(`${this.options.baseUrl}/api/v4/${endpoint}`);
    const limitMs = this.options.requestTimeoutMs * WHOLE_ANSWER_FACTOR;
    for (let retries = 0; ; retries += 1) {
      throwIfAborted(signal);
      await this.options.pacing.waitForQuota(signal);
      try {
        return await withDeadline(signal, limitMs, (limited) => this.#attempt(url, maxBytes, limited));
      } catch (thrown) {
        throwIfAborted(signal);
        await this.options.pacing.waitToRepeat(failureOfConnection(this.options, thrown), retries, signal);
      }
    }
  }

  async #attempt(start: URL, maxBytes: number, signal: AbortSignal): Promise<Answer> {
    let url = start;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const answer = await this.#send(url, signal);
      if (answer.statusCode >= 200 && answer.statusCode < 300) {
        return { headers: answer.headers, content: await this.#read(answer, maxBytes) };
      }
      const target = this.#redirectTarget(answer, url);
      if (target === null) throw await this.#failure(answer);
      dropBody(answer.body);
      if (target.origin !== start.origin) throw redirectRefused(this.options, target);
      url = target;
    }
    throw answerInvalid(this.options, `more than ${MAX_REDIRECTS} redirects`);
  }

  #send(url: URL, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const { dispatcher, token, userAgent, requestTimeoutMs } = this.options;
    this.#usage.requests += 1;
    return request(url, {
      dispatcher,
      signal,
      headersTimeout: requestTimeoutMs,
      bodyTimeout: requestTimeoutMs,
      headers: {
        accept: '*/*',
        // Blob bytes are hashed: nothing on the way may re-encode them.
        'accept-encoding': 'identity',
        'user-agent': userAgent,
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
    });
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
    return failureOfAnswer(this.options, { status, headers, bodyText }, this.options.now());
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
