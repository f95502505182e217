import { type IncomingHttpHeaders } from 'node:http';
import { type BlobContent, type SourceUsage, throwIfAborted } from '@core/domain';
import { forwardAbort, withDeadline } from './deadline.js';
import { invalidResponse, failureOfConnection, type RequestTarget } from './failure.js';
import { type ExtraBudget, RequestSlot, type RequestSlotOptions } from './request-slot.js';
import { type GitLabRequest, RequestSender, type RequestSenderOptions } from './request-sender.js';
import { parseJson, streamBody } from './response-body.js';
import { type RetryPolicy } from './retry-policy.js';

/** A page of 100 tree entries is below 1 MB; a comparison contains its patches, 5 KB for each of 3000 files at most. */
const MAX_JSON_BYTES = 16 * 1024 * 1024;
/** A whole response gets this many times the request timeout, so that a slowly sent response ends too. */
const WHOLE_RESPONSE_FACTOR = 10;

export interface GitLabHttpOptions extends RequestSenderOptions, RequestSlotOptions {
  retryPolicy: RetryPolicy;
}

export interface JsonResponse {
  headers: IncomingHttpHeaders;
  json: unknown;
}

interface Call extends GitLabRequest {
  maxBytes: number;
  extraBudget?: ExtraBudget;
  /** Repeated after a rate limit only, because the caller has another way to get the data. */
  hasFallback?: boolean;
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
    const response = await this.#json(
      { url: this.#restUrl(endpoint), maxBytes: MAX_JSON_BYTES, ...options },
      signal,
    );
    if (response !== null) return response;
    throw invalidResponse(this.target, `more than ${MAX_JSON_BYTES} bytes of JSON`);
  }

  /** A file's raw bytes, at most `maxBytes`. */
  async getFile(endpoint: string, maxBytes: number, signal: AbortSignal): Promise<BlobContent> {
    const call: Call = { url: this.#restUrl(endpoint), maxBytes, extraBudget: { name: 'files' } };
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
   * Streams an archive of any length, at the caller's pace. Never retried: the caller already has the first bytes.
   * The host's slot is released when the response begins, because a slow reader may itself be waiting for another host.
   * @param scope archives of one scope share a rate limit.
   */
  async *streamArchive(endpoint: string, scope: string, signal: AbortSignal): AsyncGenerator<Buffer> {
    throwIfAborted(signal);
    const url = this.#restUrl(endpoint);
    const slot = await RequestSlot.take(this.options, { name: 'archive', scope }, signal);
    const { controller, stop } = forwardAbort(signal);
    try {
      const { body } = await withDeadline(controller.signal, this.#wholeResponseMs, () =>
        this.#sender.send({ url }, slot, controller.signal),
      ).finally(() => slot.release());
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
  async #json(call: Call, signal: AbortSignal): Promise<JsonResponse | null> {
    const { headers, content } = await this.#get(call, signal);
    if (content.kind === 'too_large') return null;
    const json = parseJson(content.bytes);
    if (json !== undefined) return { headers, json };
    throw invalidResponse(
      this.target,
      `expected JSON, found content-type "${headers['content-type'] ?? ''}"`,
    );
  }

  async #get(
    call: Call,
    signal: AbortSignal,
  ): Promise<{ headers: IncomingHttpHeaders; content: BlobContent }> {
    for (let retries = 0; ; retries += 1) {
      throwIfAborted(signal);
      // Outside of the time limit: the wait for a slot says nothing about the host.
      const slot = await RequestSlot.take(this.options, call.extraBudget ?? null, signal);
      try {
        return await withDeadline(signal, this.#wholeResponseMs, async (limited) => {
          const response = await this.#sender.send(call, slot, limited);
          return { headers: response.headers, content: await this.#sender.read(response, call.maxBytes) };
        });
      } catch (thrown) {
        throwIfAborted(signal);
        const failure = failureOfConnection(this.target, thrown);
        if (call.hasFallback === true && failure.kind !== 'rate_limited') throw failure;
        slot.release();
        const { requests } = this.#sender.usage;
        await this.options.retryPolicy.waitToRepeat(failure, retries, requests, signal);
      } finally {
        slot.release();
      }
    }
  }

  #restUrl(endpoint: string): URL {
    return new URL(`${this.options.baseUrl}/api/v4/${endpoint}`);
  }
}
