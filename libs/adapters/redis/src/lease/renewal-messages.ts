import { type ConnectionSettings } from '../connection-options.js';

/** What the renewal thread is born with. */
export interface RenewalThreadData {
  urls: readonly string[];
  settings: ConnectionSettings;
  ttlMs: number;
  renewMs: number;
  /** The thread renews nothing while the main thread has not been seen for this long. */
  mainSilenceLimitMs: number;
  /** Written by the main thread whenever its loop turns. */
  mainSeenAt: SharedArrayBuffer;
}

/** A lease to keep alive. */
export interface RenewalOrder {
  id: number;
  key: string;
  value: string;
  /** Send time of the last successful `SET` or renewal: written by whoever succeeded, read by the main thread. */
  provenAt: SharedArrayBuffer;
}

export type ToRenewalThread = { type: 'hold'; order: RenewalOrder } | { type: 'drop'; id: number };

export type FromRenewalThread =
  | { type: 'ready' }
  /** The servers say that somebody else, or nobody, holds the key. */
  | { type: 'lost'; id: number }
  | { type: 'trouble'; id: number; reason: string };
