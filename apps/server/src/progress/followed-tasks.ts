import { isEnded, toRepotideError, type Logger, type ProgressTask } from '@core/domain';
import { present } from '../http/model.js';
import { eventFrame } from './event-stream.js';
import { ProgressDto } from './progress.schema.js';
import { type ProgressService } from './progress.service.js';

/** The row is asked this often whether the run has ended: events may be lost with Redis, the row is not. */
const ROW_CHECK_MS = 5_000;

/** The id of an end that only the row tells: no event of it is kept, and nothing comes after it. */
export const END_ID = 'end';

/** An event ready to be sent: made once, whoever waits for it. */
export interface Frame {
  /** Null for a state that cannot be resumed from. */
  id: string | null;
  text: string;
  isLast: boolean;
}

/** Somebody who follows a task. */
export interface Follower {
  /** There may be events that it has not seen. */
  news(): void;
  /** The run is over by its row, and whether the board ever says so is uncertain. */
  over(end: Frame): void;
}

interface Audience {
  followers: Set<Follower>;
  unsubscribe: () => void;
  rowCheck: NodeJS.Timeout;
}

/**
 * What the clients of this process follow. All clients of one task share its subscription, its questions and the
 * text of its events: five hundred who watch one run ask Redis and Postgres as much as one.
 */
export class FollowedTasks {
  private readonly audiences = new Map<string, Audience>();
  private readonly asked = new Map<string, Promise<Frame[]>>();

  constructor(
    private readonly progress: ProgressService,
    private readonly logger: Logger,
  ) {}

  /** @returns what ends it; repeating that is harmless. */
  follow(taskId: string, follower: Follower): () => void {
    const audience = this.audiences.get(taskId) ?? this.openAudience(taskId);
    audience.followers.add(follower);
    return () => {
      audience.followers.delete(follower);
      if (audience.followers.size > 0 || this.audiences.get(taskId) !== audience) return;
      this.audiences.delete(taskId);
      audience.unsubscribe();
      clearInterval(audience.rowCheck);
    };
  }

  /** The events after one, in order; all that are kept when it is null or unknown. Never rejects. */
  framesAfter(taskId: string, afterId: string | null): Promise<Frame[]> {
    const question = `${taskId} ${afterId}`;
    const asked = this.asked.get(question);
    if (asked) return asked;
    const answer = this.ask(taskId, afterId).finally(() => this.asked.delete(question));
    this.asked.set(question, answer);
    return answer;
  }

  private async ask(taskId: string, afterId: string | null): Promise<Frame[]> {
    const events = await this.progress.eventsAfter(taskId, afterId);
    return events.map(({ id, task }) => frameOf(task, id));
  }

  private openAudience(taskId: string): Audience {
    const followers = new Set<Follower>();
    const tell = (): void => {
      for (const follower of followers) follower.news();
    };
    const audience: Audience = {
      followers,
      unsubscribe: this.progress.subscribe(taskId, tell),
      rowCheck: setInterval(() => void this.checkRow(taskId, followers), ROW_CHECK_MS),
    };
    this.audiences.set(taskId, audience);
    return audience;
  }

  private async checkRow(taskId: string, followers: ReadonlySet<Follower>): Promise<void> {
    try {
      const task = await this.progress.fromRow(taskId);
      if (!isEnded(task)) return;
      const end = frameOf(task, END_ID);
      for (const follower of [...followers]) follower.over(end);
    } catch (thrown) {
      this.logger.debug({ error_code: toRepotideError(thrown).code }, 'progress row check failed');
    }
  }
}

/** @param id null for a state that cannot be resumed from. */
export function frameOf(task: ProgressTask, id: string | null): Frame {
  return { id, text: eventFrame('progress', present(ProgressDto, task), id), isLast: isEnded(task) };
}
