import { type BlobContent, type RepotideError, systemClock } from '@core/domain';
import { type Dispatcher, request } from 'undici';
import { invalidResponse, failureOfResponse, type RequestTarget, redirectRefused } from './failure.js';
import { type HostWords } from './host-words.js';
import { type RequestSlot } from './request-slot.js';
import { dropBody, readBody } from './response-body.js';

/** GitLab redirects once, for a moved project; proxies may add one or two. */
const MAX_REDIRECTS = 5;
const MAX_ERROR_BYTES = 64 * 1024;
const GIT_COMMAND = 'application/x-git-upload-pack-request';
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export interface Bearer {
  /** Sent with the next request; null: none. */
  readonly token: string | null;
  /** The user beside it in requests of git; absent: one that GitLab and most hosts accept with every token. */
  readonly username?: string | undefined;
  /** Called after a 401. @returns whether there is another token now, with which the request can be repeated. */
  renew?(refused: string | null, signal: AbortSignal): Promise<boolean>;
}

export interface RequestSenderOptions {
  baseUrl: string;
  /** What messages call the host. */
  words: HostWords;
  bearer: Bearer;
  /** Holds the connections. */
  dispatcher: Dispatcher;
  /** Limits each of three waits: for the connection, for the headers, and between two parts of the body. */
  requestTimeoutMs: number;
  userAgent: string;
}

export interface GitLabRequest {
  url: URL;
  /** JSON or a git command to post; without it the request is a GET. */
  body?: string | Uint8Array;
  /** A request of git's protocol: with the token as a password, and without following redirects. */
  isGit?: boolean;
}

/** Sends a request once: follows redirects, renews a refused token, and translates refusals into errors. */
export class RequestSender {
  readonly usage = { requests: 0, bytes: 0 };

  constructor(private readonly options: RequestSenderOptions) {}

  get target(): RequestTarget {
    const { baseUrl, bearer, words } = this.options;
    return { baseUrl, token: bearer.token, words };
  }

  /**
   * Follows redirects within the origin. The caller reads the body.
   * @throws the translated failure of a response that is no success; connection errors as undici throws them.
   */
  async send(call: GitLabRequest, slot: RequestSlot, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    let { url } = call;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      if (redirects > 0) await slot.retake(signal);
      const response = await this.#sendRenewing({ ...call, url }, slot, signal);
      if (response.statusCode >= 200 && response.statusCode < 300) return response;
      const target = redirectTarget(response, url);
      if (target === null) throw await this.#failure(response, slot);
      dropBody(response.body);
      if (call.isGit === true || target.origin !== call.url.origin)
        throw redirectRefused(this.target, target);
      url = target;
    }
    throw invalidResponse(this.target, `more than ${MAX_REDIRECTS} redirects`);
  }

  /** Reads a body of at most `maxBytes`. */
  read(response: Dispatcher.ResponseData, maxBytes: number): Promise<BlobContent> {
    return readBody(response, maxBytes, this.countBytes);
  }

  readonly countBytes = (bytes: number): void => {
    this.usage.bytes += bytes;
  };

  async #sendRenewing(
    call: GitLabRequest,
    slot: RequestSlot,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const { bearer } = this.options;
    const sent = bearer.token;
    const response = await this.#sendOnce(call, slot, signal);
    if (response.statusCode !== 401 || bearer.renew === undefined) return response;
    const failure = await this.#failure(response, slot);
    if (!(await bearer.renew(sent, signal))) throw failure;
    await slot.retake(signal);
    return this.#sendOnce(call, slot, signal);
  }

  async #sendOnce(
    { url, body, isGit = false }: GitLabRequest,
    slot: RequestSlot,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const { bearer, dispatcher, userAgent, requestTimeoutMs } = this.options;
    this.usage.requests += 1;
    const response = await request(url, {
      dispatcher,
      signal,
      headersTimeout: requestTimeoutMs,
      bodyTimeout: requestTimeoutMs,
      ...(body === undefined ? {} : { method: 'POST', body }),
      headers: {
        accept: '*/*',
        // The bytes of blobs are hashed: no proxy may compress them.
        'accept-encoding': 'identity',
        'user-agent': userAgent,
        ...(isGit && { 'git-protocol': 'version=2' }),
        ...(body !== undefined && { 'content-type': isGit ? GIT_COMMAND : 'application/json' }),
        ...(bearer.token !== null && { authorization: authorizationOf(bearer, isGit) }),
      },
    });
    slot.answered(response.headers);
    return response;
  }

  async #failure(response: Dispatcher.ResponseData, slot: RequestSlot): Promise<RepotideError> {
    const { statusCode: status, headers } = response;
    if (status === 429) await slot.pauseHost(headers);
    const bodyText = await this.#errorText(response);
    return failureOfResponse(this.target, { status, headers, bodyText }, systemClock.now());
  }

  async #errorText(response: Dispatcher.ResponseData): Promise<string> {
    try {
      const content = await this.read(response, MAX_ERROR_BYTES);
      return content.kind === 'bytes' ? Buffer.from(content.bytes).toString('utf8') : '';
    } catch {
      // The status is enough when the body is incomplete.
      return '';
    }
  }
}

/** GitLab's git accepts every token as the password of the user `oauth2`, and so do GitHub and Gitea. */
function authorizationOf({ token, username = 'oauth2' }: Bearer, isGit: boolean): string {
  return isGit ? `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}` : `Bearer ${token}`;
}

function redirectTarget({ statusCode, headers }: Dispatcher.ResponseData, from: URL): URL | null {
  const location = headers['location'];
  if (!REDIRECTS.has(statusCode) || typeof location !== 'string') return null;
  return URL.canParse(location, from.href) ? new URL(location, from) : null;
}
