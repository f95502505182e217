import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Hint, type Hints } from '@core/domain';
import pg from 'pg';
import { type ConnectionTarget, optionsFor } from './sql/connection-target.js';
import { type Database } from './sql/database.js';

/** Also written in the trigger that announces queued executions. */
const CHANNEL = 'repotide_hints';
const CONNECT_TIMEOUT_MS = 10_000;
const RETRY_MS = 1_000;
const CHECK_INTERVAL_MS = 15_000;

interface ListeningHintsOptions extends ConnectionTarget {
  /** A direct connection: LISTEN does not work through a pooler in transaction mode, and each hint then waits for a poll. */
  url: string;
  podName: string;
  database: Database;
  /** A connection whose server vanished shows no error: it is checked this often, and replaced when no answer comes for as long. */
  checkIntervalMs?: number;
}

/** Hints between pods by LISTEN and NOTIFY, on a separate connection that reconnects after an outage. */
export class ListeningHints implements Hints {
  private readonly listeners = new Set<(hint: Hint) => void>();
  private readonly closing = new AbortController();
  private readonly checkIntervalMs: number;
  private readonly connection: pg.ClientConfig;
  private readonly ended: Promise<void>;

  constructor(private readonly options: ListeningHintsOptions) {
    this.checkIntervalMs = options.checkIntervalMs ?? CHECK_INTERVAL_MS;
    this.connection = optionsFor(options);
    this.ended = this.listen();
  }

  publish(hint: Hint): void {
    const { database, logger } = this.options;
    database
      .query('SELECT pg_notify($1, $2)', [CHANNEL, JSON.stringify(hint)])
      .catch((error: unknown) => logger.debug({ err: error }, 'hint lost'));
  }

  subscribe(listener: (hint: Hint) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.ended;
  }

  private async listen(): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted) {
      await this.listenOnce(signal).catch((error: unknown) => {
        this.options.logger.debug({ err: error }, 'the connection for hints was lost; reconnecting');
      });
      await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Ends when the connection is lost or the hints are closed. */
  private async listenOnce(signal: AbortSignal): Promise<void> {
    const client = this.newClient();
    const lost = new AbortController();
    const lose = (): void => lost.abort();
    const whenLost = once(lost.signal, 'abort');
    client.on('error', lose);
    client.on('end', lose);
    signal.addEventListener('abort', lose, { once: true, signal: lost.signal });
    try {
      await Promise.race([client.connect(), whenLost]);
      client.on('notification', ({ payload }) => this.receive(parseHint(payload ?? '')));
      await Promise.race([client.query(`LISTEN ${CHANNEL}`), whenLost]);
      if (lost.signal.aborted) return;
      // Hints may have been sent while no connection listened.
      this.receive({ kind: 'work_queued' });
      this.receive({ kind: 'schedules_changed' });
      const check = setInterval(
        () => void client.query('SELECT 1').catch(lose),
        this.checkIntervalMs,
      ).unref();
      await whenLost.finally(() => clearInterval(check));
    } finally {
      lose();
      await Promise.race([client.end().catch(() => undefined), sleep(RETRY_MS, undefined, { ref: false })]);
    }
  }

  private newClient(): pg.Client {
    return new pg.Client({
      ...this.connection,
      application_name: `repotide:${this.options.podName}:hints`,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: this.checkIntervalMs,
      keepAlive: true,
    });
  }

  private receive(hint: Hint | null): void {
    if (hint) for (const listener of this.listeners) listener(hint);
  }
}

/** Null for messages of another version of this program. */
function parseHint(text: string): Hint | null {
  try {
    const { kind, executionId } = JSON.parse(text) as Partial<Record<string, unknown>>;
    if (kind === 'schedules_changed' || kind === 'work_queued') return { kind };
    return kind === 'cancel_requested' && typeof executionId === 'string' ? { kind, executionId } : null;
  } catch {
    return null;
  }
}
