import { type Response } from 'express';

/** Events that wait for a slow client; beyond it the oldest goes, as the newest state matters most. */
export const MAX_QUEUED = 1000;
const HEARTBEAT_MS = 15_000;
/** A client that has taken nothing for a minute is as good as gone; if it lives, it comes back and resumes. */
const MAX_SILENT_HEARTBEATS = 4;
const RETRY_MS = 2_000;

/** Hears of what waits for clients. */
export interface QueueAccount {
  /** @param change events more, or fewer when negative. */
  queued(change: number): void;
  dropped(): void;
}

/**
 * One client of server-sent events. Events wait in a bounded queue while the client is slow; when some had to go, an
 * event `dropped` says how many, where they are missing. A comment now and then keeps proxies from ending a silent
 * connection.
 */
export class EventStream {
  private readonly queue: string[] = [];
  private readonly heartbeat: NodeJS.Timeout;
  private dropped = 0;
  private silentHeartbeats = 0;
  private isBlocked = false;
  private isEnding = false;

  constructor(
    private readonly response: Response,
    private readonly account: QueueAccount,
  ) {
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      Connection: 'keep-alive',
      // Nginx and Traefik's buffering middleware would hold events back.
      'X-Accel-Buffering': 'no',
    });
    response.on('drain', () => {
      this.isBlocked = false;
      this.silentHeartbeats = 0;
      this.flush();
    });
    this.heartbeat = setInterval(() => this.beat(), HEARTBEAT_MS);
    this.write(`retry: ${RETRY_MS}\n\n`);
  }

  /** @param frame an event as {@link eventFrame} makes it. */
  send(frame: string): void {
    if (this.isEnding) return;
    this.queue.push(frame);
    if (this.queue.length <= MAX_QUEUED) this.account.queued(1);
    else this.drop();
    this.flush();
  }

  /** Sends what waits, then closes. */
  end(): void {
    this.isEnding = true;
    this.flush();
  }

  /** Forgets everything; for a client that is gone. Repeating is harmless. */
  abandon(): void {
    clearInterval(this.heartbeat);
    this.account.queued(-this.queue.length);
    this.queue.length = 0;
    this.isEnding = this.isBlocked = true;
  }

  private drop(): void {
    this.queue.shift();
    this.dropped++;
    this.account.dropped();
  }

  private flush(): void {
    while (!this.isBlocked && this.queue.length > 0) this.write(this.nextFrame());
    if (!this.isEnding || this.isBlocked || this.queue.length > 0) return;
    clearInterval(this.heartbeat);
    this.response.end();
  }

  private nextFrame(): string {
    if (this.dropped > 0) {
      const notice = eventFrame('dropped', { dropped_events: this.dropped }, null);
      this.dropped = 0;
      return notice;
    }
    this.account.queued(-1);
    return this.queue.shift()!;
  }

  private write(text: string): void {
    this.isBlocked = !this.response.write(text);
  }

  private beat(): void {
    if (!this.isBlocked) this.write(': still here\n\n');
    else if (++this.silentHeartbeats >= MAX_SILENT_HEARTBEATS) this.response.destroy();
  }
}

/** @param id what `Last-Event-ID` brings back; null for what cannot be resumed from. */
export function eventFrame(event: string, data: object, id: string | null): string {
  const identity = id === null ? '' : `id: ${id}\n`;
  return `${identity}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
