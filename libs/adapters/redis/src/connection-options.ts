import { type RedisOptions } from 'ioredis';

/** Shared by all connections of a process; can be sent to another thread. */
export interface ConnectionSettings {
  commandTimeoutMs: number;
  /** Shown by `CLIENT LIST`. */
  clientName: string;
  /** `REDIS_TLS_DIR`: connections use TLS with its certificates. */
  tlsDir?: string | undefined;
}

export type ServerOptions = RedisOptions & Pick<ConnectionSettings, 'tlsDir'>;

const CONNECT_TIMEOUT_MS = 10_000;
/** A server that vanished never confirms the end of a connection. */
const DISCONNECT_TIMEOUT_MS = 250;
/** A pod reconnects soon after Redis is back; the jitter spreads the reconnects of many pods. */
const RETRY_CAP_MS = 2_000;
const RETRY_JITTER_MS = 200;
/** Subscriptions are pinged every 10 s: a socket that is silent for longer is dead. */
const BLOCKING_SILENCE_MS = 15_000;

/**
 * For callers that wait: a command fails when it cannot be sent now or gets no reply in time, and is never resent (a
 * `SET NX` that took effect would be refused the second time).
 */
export function failFast({ commandTimeoutMs, ...settings }: ConnectionSettings): ServerOptions {
  return {
    ...common(settings),
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    // Longer than the command's timeout, whose error is more specific.
    socketTimeout: commandTimeoutMs + 500,
  };
}

/** For loops that survive outages: commands wait for the connection, and blocking commands for their reply. */
export function waitForConnection(settings: ConnectionSettings): ServerOptions {
  return { ...common(settings), maxRetriesPerRequest: null, socketTimeout: BLOCKING_SILENCE_MS };
}

function common({ clientName, tlsDir }: Omit<ConnectionSettings, 'commandTimeoutMs'>): ServerOptions {
  return {
    tlsDir,
    // Works through proxies that do not know HELLO.
    protocol: 2,
    connectionName: clientName,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    keepAlive: 10_000,
    // A fail-over may have made the server a replica, and the address may lead to the new primary.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
    retryStrategy: (attempt) =>
      Math.min(50 * 2 ** Math.min(attempt - 1, 10), RETRY_CAP_MS) + Math.random() * RETRY_JITTER_MS,
  };
}
