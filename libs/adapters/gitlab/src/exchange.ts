import { type BlobContent, type RepotideError } from '@core/domain';
import { type Dispatcher, request } from 'undici';
import { dropBody, readBody } from './body.js';
import { answerInvalid, type Counterpart, failureOfAnswer, redirectRefused } from './failure.js';
import { type Turn } from './host-turns.js';

/** GitLab redirects once, for a moved project; proxies may add one or two. */
const MAX_REDIRECTS = 5;
const MAX_ERROR_BYTES = 64 * 1024;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The token to send with the next request; null: none. */
export interface Bearer {
  readonly token: string | null;
  /** After a 401: whether there is another token now, so that the request is worth repeating. */
  renew?(refused: string | null, signal: AbortSignal): Promise<boolean>;
}

export interface ExchangeOptions {
  baseUrl: string;
  bearer: Bearer;
  /** Holds the connections. */
  dispatcher: Dispatcher;
  /** For connecting, for the headers, and between two parts of the body, each. */
  requestTimeoutMs: number;
  userAgent: string;
  now(): Date;
}

export interface Question {
  url: URL;
  /** JSON to post; without it the request is a GET. */
  body?: string;
}

/** One question to GitLab and its answer: with redirects, a renewed token, and failures that say what GitLab said. */
export class Exchange {
  readonly usage = { requests: 0, bytes: 0 };

  constructor(private readonly options: ExchangeOptions) {}

  get counterpart(): Counterpart {
    const { baseUrl, bearer } = this.options;
    return { baseUrl, token: bearer.token };
  }

  /**
   * Follows redirects within the origin, and leaves the body to be read.
   * @throws the failure of an answer that is no success, translated; what the connection throws, as it is.
   */
  async ask(question: Question, turn: Turn, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    let { url } = question;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      if (redirects > 0) await turn.again(signal);
      const answer = await this.#sendRenewing({ ...question, url }, turn, signal);
      if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
      const target = this.#redirectTarget(answer, url);
      if (target === null) throw await this.#failure(answer, turn);
      dropBody(answer.body);
      if (target.origin !== question.url.origin) throw redirectRefused(this.counterpart, target);
      url = target;
    }
    throw answerInvalid(this.counterpart, `more than ${MAX_REDIRECTS} redirects`);
  }

  /** Reads the body, or `too_large` after reading no more than it takes to know. */
  read(answer: Dispatcher.ResponseData, maxBytes: number): Promise<BlobContent> {
    return readBody(answer, maxBytes, (bytes) => {
      this.usage.bytes += bytes;
    });
  }

  async #sendRenewing(question: Question, turn: Turn, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const { bearer } = this.options;
    const sent = bearer.token;
    const answer = await this.#send(question, turn, signal);
    if (answer.statusCode !== 401 || bearer.renew === undefined) return answer;
    const bodyText = await this.#errorText(answer);
    if (await bearer.renew(sent, signal)) {
      await turn.again(signal);
      return this.#send(question, turn, signal);
    }
    const { statusCode: status, headers } = answer;
    throw failureOfAnswer(this.counterpart, { status, headers, bodyText }, this.options.now());
  }

  async #send({ url, body }: Question, turn: Turn, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const { dispatcher, userAgent, requestTimeoutMs } = this.options;
    const { token } = this.options.bearer;
    this.usage.requests += 1;
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
      const content = await this.read(answer, MAX_ERROR_BYTES);
      return content.kind === 'bytes' ? Buffer.from(content.bytes).toString('utf8') : '';
    } catch {
      // The status has been received and says more than a body that broke off.
      return '';
    }
  }
}
