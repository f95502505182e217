import { QdrantClient } from '@qdrant/js-client-rest';
import { type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { RepotideError, type Logger } from '@core/domain';
import { tlsDispatcher } from '@platform/tls';
import { type QdrantAddress } from './address.js';
import { RETRY_AFTER_HEADER } from './errors.js';

/** Typed endpoints; unlike the client's methods they accept an `AbortSignal` and every documented field. */
export type QdrantApi = ReturnType<QdrantClient['api']>;

export interface QdrantClientHandle {
  api: QdrantApi;
  /** Must be in the init of every call: reuses connections and keeps the Retry-After header. */
  dispatcher: Dispatcher;
  /** The key as sent, so that it can be masked in messages. */
  apiKey: string | null;
}

/** The client's own default. */
const CONNECTIONS = 25;

/** @throws invalid `vector_store_key_invalid` when a header cannot carry the key. */
export function createClient(
  address: QdrantAddress,
  apiKey: string | null,
  { tlsDir, logger }: { tlsDir: string | undefined; logger: Logger },
): QdrantClientHandle {
  // A key read from a mounted file ends in a newline.
  const key = apiKey?.trim() || null;
  const client = new QdrantClient({
    url: address.origin,
    port: address.port,
    ...(address.prefix === '' ? {} : { prefix: address.prefix }),
    // The caller sets time limits: the client's timer would replace the signal of a call.
    timeout: Infinity,
    // The check would print to the console and send an extra request.
    checkCompatibility: false,
    headers: authentication(address, key, logger),
  });
  const agent = openAgent(tlsDir, logger);
  return { api: client.api(), dispatcher: agent.compose(keepRetryAfter), apiKey: key };
}

function openAgent(tlsDir: string | undefined, logger: Logger): Dispatcher {
  // Proxies refuse tunnels to ports of plain HTTP.
  const limits = { connections: CONNECTIONS, headersTimeout: 0, bodyTimeout: 0, proxyTunnel: false };
  if (tlsDir === undefined) return new EnvHttpProxyAgent(limits);
  const warn = (detail: string) => logger.warn({ detail }, 'certificates of QDRANT_TLS_DIR');
  return tlsDispatcher(tlsDir, warn, limits);
}

function authentication(address: QdrantAddress, key: string | null, logger: Logger): Record<string, string> {
  if (key === null) return {};
  // Checked here because the platform's error would quote the key.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    const message = 'QDRANT_API_KEY has spaces or characters outside ASCII, which a header cannot carry.';
    throw new RepotideError('invalid', 'vector_store_key_invalid', message);
  }
  if (address.origin.startsWith('http:')) {
    logger.warn({ qdrant: address.shown }, 'the Qdrant key is sent unencrypted: QDRANT_URL is not https');
  }
  return { 'api-key': key };
}

/** The client reads only one character of Retry-After, so the header gets another name. */
const keepRetryAfter: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, {
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onResponseStart: (controller, status, headers, message) => {
      const { 'retry-after': retryAfter, ...others } = headers;
      const kept = retryAfter === undefined ? others : { ...others, [RETRY_AFTER_HEADER]: retryAfter };
      handler.onResponseStart?.(controller, status, kept, message);
    },
    onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
    onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
    onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
  });
