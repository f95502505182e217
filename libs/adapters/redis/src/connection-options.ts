import { type RedisOptions } from 'ioredis';

/** What all connections of one process share; may cross to another thread. */
export interface ConnectionSettings {
  /** No command waits longer for its answer. */
  commandTimeoutMs: number;
  /** Shown by `CLIENT LIST`. */
  clientName: string;
}

const CONNECT_TIMEOUT_MS = 10_000;
/** A peer that vanished says no good-bye; neither a reconnect nor the end of the process should wait for it. */
const DISCONNECT_TIMEOUT_MS = 250;
/** A pod should be back soon after its Redis is; a hundred pods should not come back at the same instant. */
const RETRY_CAP_MS = 2_000;
const RETRY_JITTER_MS = 200;
/** BullMQ asks for work for at most 10 s and gives a stuck question up after 11 s: a longer silence is a dead socket. */
const BLOCKING_SILENCE_MS = 15_000;

/**
 * For callers who wait: a command fails when it cannot be sent now or is not answered in time, and is never sent
 * again behind the caller's back (a `SET NX` that took effect would be refused the second time).
 */
export function failFast({ commandTimeoutMs, clientName }: ConnectionSettings): RedisOptions {
  return {
    ...common(clientName),
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    // After the command's own timeout, so that its error says what happened: a peer that vanished is not kept.
    socketTimeout: commandTimeoutMs + 500,
  };
}

/** For loops that outlive an outage: commands wait for the connection, blocking ones for their answer. */
export function patient({ clientName }: ConnectionSettings): RedisOptions {
  return { ...common(clientName), maxRetriesPerRequest: null, socketTimeout: BLOCKING_SILENCE_MS };
}

function common(clientName: string): RedisOptions {
  return {
    // Answers have the same shapes as ever, and proxies that know no HELLO are spoken to as well.
    protocol: 2,
    connectionName: clientName,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    keepAlive: 10_000,
    retryStrategy: (attempt) =>
      Math.min(50 * 2 ** Math.min(attempt - 1, 10), RETRY_CAP_MS) + Math.random() * RETRY_JITTER_MS,
  };
}
