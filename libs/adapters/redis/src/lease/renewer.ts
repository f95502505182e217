import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { messageOf, type Logger, RepotideError } from '@core/domain';
import {
  type FromRenewalThread,
  type RenewalOrder,
  type RenewalThreadData,
  type ToRenewalThread,
} from './renewal-messages.js';
import { monotonicMs, SharedInstant } from './shared-instant.js';

/** Starts the renewal thread. Replaced by tests, which do not run compiled files. */
export type StartRenewalThread = (workerData: RenewalThreadData) => Worker;

const startCompiledThread: StartRenewalThread = (workerData) =>
  new Worker(new URL('./renewal-thread.js', import.meta.url), { workerData, name: 'lease-renewal' });

const CHECK_INS_PER_LIMIT = 20;
const RESTART_DELAY_MS = 1_000;

export interface RenewerOptions extends Omit<RenewalThreadData, 'mainSeenAt'> {
  logger: Logger;
  startThread?: StartRenewalThread;
}

/** The main thread's side: sends leases to the renewal thread, shows it that this thread runs, and restarts it when it ends. */
export class Renewer {
  private readonly mainSeenAt = new SharedInstant();
  private readonly orders = new Map<number, { order: RenewalOrder; onLost: () => void }>();
  private readonly checkIn: NodeJS.Timeout;
  private thread: Worker | null = null;
  private isClosing = false;
  private lastId = 0;

  private constructor(private readonly options: RenewerOptions) {
    this.mainSeenAt.set(monotonicMs());
    const everyMs = Math.max(1, Math.floor(options.mainSilenceLimitMs / CHECK_INS_PER_LIMIT));
    this.checkIn = setInterval(() => this.mainSeenAt.set(monotonicMs()), everyMs).unref();
  }

  /** @throws internal `renewal_thread_failed` when the thread cannot start. */
  static async start(options: RenewerOptions): Promise<Renewer> {
    const renewer = new Renewer(options);
    try {
      await once(renewer.startThread(), 'message');
    } catch (error) {
      await renewer.close();
      const message = `The thread that renews leases did not start (${messageOf(error)}). Rebuild the project.`;
      throw new RepotideError('internal', 'renewal_thread_failed', message, { cause: error });
    }
    return renewer;
  }

  /** @param onLost is called once when the lease is lost. @returns a function that ends the renewals. */
  hold(lease: Omit<RenewalOrder, 'id'>, onLost: () => void): () => void {
    const id = ++this.lastId;
    const order = { ...lease, id };
    this.orders.set(id, { order, onLost });
    this.send({ type: 'hold', order });
    return () => {
      if (this.orders.delete(id)) this.send({ type: 'drop', id });
    };
  }

  async close(): Promise<void> {
    this.isClosing = true;
    clearInterval(this.checkIn);
    await this.thread?.terminate();
  }

  private startThread(): Worker {
    const { logger, startThread = startCompiledThread, ...data } = this.options;
    const thread = startThread({ ...data, mainSeenAt: this.mainSeenAt.buffer });
    this.thread = thread;
    thread.unref();
    thread.on('message', (message: FromRenewalThread) => this.receive(message));
    thread.on('error', (error: unknown) =>
      logger.error({ error: messageOf(error) }, 'lease renewal thread failed'),
    );
    thread.once('exit', () => this.restartThread());
    for (const { order } of this.orders.values()) this.send({ type: 'hold', order });
    return thread;
  }

  private restartThread(): void {
    this.thread = null;
    setTimeout(() => {
      if (!this.isClosing) this.startThread();
    }, RESTART_DELAY_MS).unref();
  }

  private send(message: ToRenewalThread): void {
    this.thread?.postMessage(message);
  }

  private receive(message: FromRenewalThread): void {
    if (message.type === 'ready') return;
    const held = this.orders.get(message.id);
    if (!held) return;
    if (message.type === 'trouble') {
      const fields = { key: held.order.key, reason: message.reason };
      this.options.logger.warn(fields, 'lease was not renewed; trying again');
      return;
    }
    this.orders.delete(message.id);
    held.onLost();
  }
}
