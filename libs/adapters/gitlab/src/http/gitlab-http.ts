import { type IncomingHttpHeaders } from 'node:http';
import { type BlobContent, type GitEndpoint, type SourceUsage, throwIfAborted } from '@core/domain';
import { forwardAbort, withDeadline } from './deadline.js';
import { invalidResponse, failureOfConnection, type RequestTarget } from './failure.js';
import { type ExtraBudget, RequestSlot, type RequestSlotOptions } from './request-slot.js';
import { type Dispatcher } from 'undici';
import { type GitLabRequest, RequestSender, type RequestSenderOptions } from './request-sender.js';
import { parseJson, streamBody } from './response-body.js';
import { type RetryPolicy } from './retry-policy.js';

/** A page of 100 tree entries is below 1 MB; a comparison contains its patches, 5 KB for each of 3000 files at most. */
const MAX_JSON_BYTES = 16 * 1024 * 1024;
/** A whole response gets this many times the request timeout, so that a slowly sent response ends too. */
const WHOLE_RESPONSE_FACTOR = 10;

export interface GitLabHttpOptions extends RequestSenderOptions, RequestSlotOptions {
  retryPolicy: RetryPolicy;
  /** Identifies host and credential. */
  identity: string;
}

export interface JsonResponse {
  headers: IncomingHttpHeaders;
  json: unknown;
}

interface Call extends GitLabRequest {
  extraBudget?: ExtraBudget;
  /** Repeated after a rate limit only, because the caller has another way to get the data. */
  hasFallback?: boolean;
}

/** Requests about one project, for one call of a source. */
export interface ProjectAccess {
  http: GitLabHttp;
  projectId: number;
  signal: AbortSignal;
}

/** Read requests to one GitLab with one token. Retries where that helps, translates failures, and counts usage. */
export class GitLabHttp {
  readonly #sender: RequestSender;
  readonly #wholeResponseMs: number;

  constructor(private readonly options: GitLabHttpOptions) {
    this.#sender = new RequestSender(options);
    this.#wholeResponseMs = options.requestTimeoutMs * WHOLE_RESPONSE_FACTOR;
  }

  get target(): RequestTarget {
    return this.#sender.target;
  }

  usage(): SourceUsage {
    return { ...this.#sender.usage, retries: this.options.retryPolicy.retries };
  }

  /**
   * @param endpoint below `/api/v4/`, encoded, with its query.
   * @param options.hasFallback the caller has another way to get the data: retries after a rate limit only.
   */
  async getJson(
    endpoint: string,
    signal: AbortSignal,
    options: { hasFallback?: boolean } = {},
  ): Promise<JsonResponse> {
    const call = { url: this.#restUrl(endpoint), maxBytes: MAX_JSON_BYTES, ...options };
    const response = await this.#json(call, signal);
    if (response !== null) return response;
    throw invalidResponse(this.target, `more than ${MAX_JSON_BYTES} bytes of JSON`);
  }

  /** A file's raw bytes, at most `maxBytes`. */
  async getFile(endpoint: string, maxBytes: number, signal: AbortSignal): Promise<BlobContent> {
    const call = { url: this.#restUrl(endpoint), maxBytes, extraBudget: { name: 'files' } } as const;
    return (await this.#get(call, signal)).content;
  }

  /** Sends a GraphQL query, which changes nothing and so may be repeated. Null when the response exceeds `maxBytes`. */
  queryGraphql(
    query: string,
    variables: object,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<JsonResponse | null> {
    const url = new URL(`${this.options.baseUrl}/api/graphql`);
    return this.#json({ url, maxBytes, body: JSON.stringify({ query, variables }) }, signal);
  }

  /**
   * Streams an archive of any length, at the caller's pace. Never retried: hosts allow few archives.
   * @param scope archives of one scope share a rate limit.
   */
  streamArchive(endpoint: string, scope: string, signal: AbortSignal): AsyncGenerator<Buffer> {
    const call: Call = { url: this.#restUrl(endpoint), extraBudget: { name: 'archive', scope } };
    return this.#stream(call, signal, (begin) => this.#once(call, signal, begin));
  }

  /**
   * Sends a request of git's protocol and streams the answer like an archive. Retried until the answer begins.
   * @param path below the host, encoded, with its query. @param command absent: a GET.
   */
  #streamGit(path: string, command: Uint8Array | undefined, signal: AbortSignal): AsyncGenerator<Buffer> {
    // Whatever the path says, the token stays with its host.
    const url = new URL(`${new URL(this.options.baseUrl).origin}/${path.replace(/^\/+/, '')}`);
    const call: Call = { url, isGit: true, ...(command && { body: command }) };
    return this.#stream(call, signal, (begin) => this.#retrying(call, signal, begin));
  }

  /** Git's smart HTTP protocol. @param suffix of a repository's address after its path. */
  git(suffix: '.git' | ''): GitEndpoint {
    const advertised = `${suffix}/info/refs?service=git-upload-pack`;
    return {
      identity: this.options.identity,
      advertise: (path, signal) => this.#streamGit(path + advertised, undefined, signal),
      uploadPack: (path, command, signal) =>
        this.#streamGit(`${path}${suffix}/git-upload-pack`, command, signal),
    };
  }

  /** The host's slot is released when the response begins: a slow reader may itself be waiting for another host. */
  async *#stream(
    call: Call,
    signal: AbortSignal,
    run: (begin: (slot: RequestSlot) => Promise<Dispatcher.ResponseData>) => Promise<Dispatcher.ResponseData>,
  ): AsyncGenerator<Buffer> {
    throwIfAborted(signal);
    const { controller, stop } = forwardAbort(signal);
    try {
      const { body } = await run((slot) =>
        withDeadline(controller.signal, this.#wholeResponseMs, () =>
          this.#sender.send(call, slot, controller.signal),
        ),
      );
      yield* streamBody(body, this.#wholeResponseMs, this.#sender.countBytes);
    } catch (thrown) {
      throwIfAborted(signal);
      throw failureOfConnection(this.target, thrown);
    } finally {
      stop();
      controller.abort();
    }
  }

  /** Null when the response exceeds `call.maxBytes`. */
  async #json(call: Call & { maxBytes: number }, signal: AbortSignal): Promise<JsonResponse | null> {
    const { headers, content } = await this.#get(call, signal);
    if (content.kind === 'too_large') return null;
    const json = parseJson(content.bytes);
    if (json !== undefined) return { headers, json };
    const found = headers['content-type'] ?? '';
    throw invalidResponse(this.target, `expected JSON, found content-type "${found}"`);
  }

  #get(
    call: Call & { maxBytes: number },
    signal: AbortSignal,
  ): Promise<{ headers: IncomingHttpHeaders; content: BlobContent }> {
    return this.#retrying(call, signal, (slot) =>
      withDeadline(signal, this.#wholeResponseMs, async (limited) => {
        const response = await this.#sender.send(call, slot, limited);
        return { headers: response.headers, content: await this.#sender.read(response, call.maxBytes) };
      }),
    );
  }

  async #retrying<T>(call: Call, signal: AbortSignal, work: (slot: RequestSlot) => Promise<T>): Promise<T> {
    for (let retries = 0; ; retries += 1) {
      try {
        return await this.#once(call, signal, work);
      } catch (thrown) {
        throwIfAborted(signal);
        const failure = failureOfConnection(this.target, thrown);
        if (call.hasFallback === true && failure.kind !== 'rate_limited') throw failure;
        const { requests } = this.#sender.usage;
        await this.options.retryPolicy.waitToRepeat(failure, retries, requests, signal);
      }
    }
  }

  async #once<T>(call: Call, signal: AbortSignal, work: (slot: RequestSlot) => Promise<T>): Promise<T> {
    throwIfAborted(signal);
    // Outside of the time limit: the wait for a slot says nothing about the host.
    const slot = await RequestSlot.take(this.options, call.extraBudget ?? null, signal);
    try {
      return await work(slot);
    } finally {
      slot.release();
    }
  }

  #restUrl(endpoint: string): URL {
    return new URL(`${this.options.baseUrl}/api/v4/${endpoint}`);
  }
}
