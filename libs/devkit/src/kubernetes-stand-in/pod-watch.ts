import { Readable } from 'node:stream';
import { type PodRecord, toWire } from './pod-object.js';
import { type PodRegistry } from './pod-registry.js';
import { statusObject } from './status.js';

export interface WatchRequest {
  matches: (pod: PodRecord) => boolean;
  fromVersion: number;
  timeoutSeconds: number;
  /** Null: the client requested none. */
  bookmarkEveryMs: number | null;
}

/** The API sends a last bookmark this long before it ends a watch. */
const LAST_BOOKMARK_MS = 2000;

/** One watch: a stream of JSON lines. */
export class PodWatch {
  readonly body = new Readable({ read: () => undefined });
  private version: number;
  private isSilent = false;
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly registry: PodRegistry,
    private readonly request: WatchRequest,
  ) {
    this.version = request.fromVersion;
    if (this.version < registry.oldestVersion) {
      this.send(
        'ERROR',
        statusObject(410, `too old resource version: ${this.version} (${registry.oldestVersion})`),
      );
      this.body.push(null);
      return;
    }
    const unfollow = registry.onChange(() => this.sendChanges());
    this.body.once('close', () => {
      unfollow();
      for (const timer of this.timers) clearTimeout(timer);
    });
    this.sendChanges();
    this.arm(request);
  }

  /** Breaks the connection. */
  cut(): void {
    this.body.destroy(new Error('cut'));
  }

  /** Keeps the connection open and sends nothing more, not even the end. */
  silence(): void {
    this.isSilent = true;
  }

  private arm({ timeoutSeconds, bookmarkEveryMs }: WatchRequest): void {
    const lifeMs = timeoutSeconds * 1000;
    if (bookmarkEveryMs !== null) {
      const lastMs = lifeMs - Math.min(LAST_BOOKMARK_MS, lifeMs / 2);
      this.timers.push(setInterval(() => this.bookmark(), bookmarkEveryMs));
      this.timers.push(setTimeout(() => this.bookmark(), lastMs));
    }
    this.timers.push(setTimeout(() => this.end(), lifeMs));
  }

  private end(): void {
    if (!this.isSilent) this.body.push(null);
  }

  private sendChanges(): void {
    const events = this.registry.eventsSince(this.version, this.request.matches);
    this.version = this.registry.version;
    for (const { type, object } of events) this.send(type, object);
  }

  private bookmark(): void {
    const metadata = { resourceVersion: `${this.registry.version}`, creationTimestamp: null };
    this.send('BOOKMARK', {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata,
      spec: { containers: null },
      status: {},
    });
  }

  private send(type: string, object: unknown): void {
    if (!this.isSilent) this.body.push(`${toWire({ type, object })}\n`);
  }
}
