import { type ConnectionSettings } from '../connection-options.js';

/** Start data of the renewal thread. */
export interface RenewalThreadData {
  urls: readonly string[];
  settings: ConnectionSettings;
  ttlMs: number;
  renewMs: number;
  /** The thread renews nothing while the main thread has been silent for longer. */
  mainSilenceLimitMs: number;
  /** Written by the main thread while its event loop runs. */
  mainSeenAt: SharedArrayBuffer;
}

/** A lease to keep alive. */
export interface RenewalOrder {
  id: number;
  key: string;
  value: string;
  /** Send time of the last successful `SET` or renewal. */
  provenAt: SharedArrayBuffer;
}

export type ToRenewalThread = { type: 'hold'; order: RenewalOrder } | { type: 'drop'; id: number };

export type FromRenewalThread =
  | { type: 'ready' }
  /** The key has another value or is missing. */
  | { type: 'lost'; id: number }
  | { type: 'trouble'; id: number; reason: string };
