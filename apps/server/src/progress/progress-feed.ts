import { type EventStream } from './event-stream.js';
import { type FollowedTasks, type Follower, type Frame } from './followed-tasks.js';

/**
 * Sends one task's events to one client, from the last event it has seen to the end of the run. Queries events one at a
 * time, so that none is sent twice.
 */
export class ProgressFeed implements Follower {
  private unfollow: () => void = () => undefined;
  private isQuerying = false;
  private isWanted = false;
  private isClosed = false;
  private end: Frame | null = null;

  /** @param lastEventId the last event that the client has seen; null: none. */
  constructor(
    private readonly taskId: string,
    private lastEventId: string | null,
    private readonly tasks: FollowedTasks,
    private readonly stream: Pick<EventStream, 'send' | 'end' | 'abandon'>,
  ) {}

  /** @param initial sent to a client that has seen nothing, when there are no events. */
  async start(initial: Frame): Promise<void> {
    const hasSeenNothing = this.lastEventId === null;
    this.unfollow = this.tasks.follow(this.taskId, this);
    if (initial.isLast) this.end = initial;
    await this.pump();
    if (hasSeenNothing && this.lastEventId === null && !this.isClosed) this.send(initial);
  }

  changed(): void {
    void this.pump();
  }

  ended(end: Frame): void {
    this.end = end;
    void this.pump();
  }

  /** Call it when the client has disconnected. Safe to repeat. */
  close(): void {
    this.stop();
    this.stream.abandon();
  }

  private async pump(): Promise<void> {
    this.isWanted = true;
    if (this.isQuerying) return;
    this.isQuerying = true;
    while (this.isWanted && !this.isClosed) {
      this.isWanted = false;
      // An end from the row is sent only when the events do not contain it.
      const { end } = this;
      const frames = await this.tasks.framesAfter(this.taskId, this.lastEventId);
      for (const frame of frames) this.send(frame);
      if (end) this.send(end);
    }
    this.isQuerying = false;
  }

  private send(frame: Frame): void {
    if (this.isClosed) return;
    this.lastEventId = frame.id ?? this.lastEventId;
    this.stream.send(frame.text);
    if (!frame.isLast) return;
    this.stop();
    this.stream.end();
  }

  private stop(): void {
    this.isClosed = true;
    this.unfollow();
  }
}
