import { type Response } from 'express';

/** Maximum number of queued events for a slow client. Beyond it the oldest is dropped, because the newest matters most. */
export const MAX_QUEUED = 1000;
const HEARTBEAT_MS = 15_000;
/** After a minute without reads the connection is closed. A client that is still alive reconnects and resumes. */
const MAX_SILENT_HEARTBEATS = 4;
const RETRY_MS = 2_000;

/** Receives the changes of the queue, for metrics. */
export interface QueueAccount {
  /** @param change number of added events; negative: removed ones. */
  queued(change: number): void;
  dropped(): void;
}

/**
 * A stream of server-sent events to one client. Events wait in a bounded queue while the client is slow. An event
 * `dropped` replaces dropped events and contains their number. A comment every 15 s prevents proxies from closing an
 * idle connection.
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
      // Prevents Nginx and Traefik's buffering middleware from delaying events.
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

  /** @param frame an event from {@link eventFrame}. */
  send(frame: string): void {
    if (this.isEnding) return;
    this.queue.push(frame);
    if (this.queue.length <= MAX_QUEUED) this.account.queued(1);
    else this.drop();
    this.flush();
  }

  /** Sends the queued events, then closes the connection. */
  end(): void {
    this.isEnding = true;
    this.flush();
  }

  /** Discards the queue of a disconnected client. Safe to repeat. */
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

/** @param id the client sends it as `Last-Event-ID` to resume; null: the client cannot resume from this event. */
export function eventFrame(event: string, data: object, id: string | null): string {
  const identity = id === null ? '' : `id: ${id}\n`;
  return `${identity}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
