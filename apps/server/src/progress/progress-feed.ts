import { isEnded, toRepotideError, type Logger, type ProgressEvent, type ProgressTask } from '@core/domain';
import { type EventStream } from './event-stream.js';
import { ProgressDto } from './progress.dto.js';
import { type ProgressService } from './progress.service.js';

/** The row is asked this often whether the run has ended: events may be lost with Redis, the row is not. */
const ROW_CHECK_MS = 5_000;

/** Feeds one client with one task's events, from the last that it has seen to the end of the run. */
export class ProgressFeed {
  private unsubscribe: () => void = () => undefined;
  private rowCheck: NodeJS.Timeout | undefined;
  private current: Promise<void> | null = null;
  private isWanted = false;
  private isClosed = false;

  constructor(
    private readonly taskId: string,
    private lastEventId: string | null,
    private readonly progress: ProgressService,
    private readonly stream: EventStream,
    private readonly logger: Logger,
  ) {}

  /** @param initial shown at once when no event is kept. */
  async start(initial: ProgressTask): Promise<void> {
    this.unsubscribe = this.progress.subscribe(this.taskId, () => this.pump());
    this.rowCheck = setInterval(() => void this.checkRow(), ROW_CHECK_MS);
    const isFresh = this.lastEventId === null;
    await this.send();
    if (this.isClosed || !isFresh || this.lastEventId !== null) return;
    this.stream.send('progress', ProgressDto.of(initial), null);
    if (isEnded(initial)) this.finish();
  }

  /** The client is gone. Repeating is harmless. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    clearInterval(this.rowCheck);
    this.unsubscribe();
    this.stream.abandon();
  }

  private pump(): void {
    if (this.current) {
      this.isWanted = true;
      return;
    }
    this.current = this.send().finally(() => {
      this.current = null;
      if (!this.isWanted || this.isClosed) return;
      this.isWanted = false;
      this.pump();
    });
  }

  private async send(): Promise<void> {
    for (const event of await this.progress.eventsAfter(this.taskId, this.lastEventId)) {
      if (this.isClosed) return;
      this.sendEvent(event);
    }
  }

  private sendEvent({ id, task }: ProgressEvent): void {
    this.lastEventId = id;
    this.stream.send('progress', ProgressDto.of(task), id);
    if (isEnded(task)) this.finish();
  }

  private async checkRow(): Promise<void> {
    try {
      const task = await this.progress.fromRow(this.taskId);
      if (!isEnded(task)) return;
      await this.send();
      if (this.isClosed) return;
      this.stream.send('progress', ProgressDto.of(task), null);
      this.finish();
    } catch (thrown) {
      this.logger.debug({ error_code: toRepotideError(thrown).code }, 'progress row check failed');
    }
  }

  private finish(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    clearInterval(this.rowCheck);
    this.unsubscribe();
    this.stream.end();
  }
}
