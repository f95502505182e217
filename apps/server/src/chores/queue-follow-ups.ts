import { Inject, Injectable } from '@nestjs/common';
import { type PushStore } from '@core/domain';
import { PUSH_STORE } from '../injection-tokens.js';
import { type Chore } from './chore.js';

/** Queues a sync for each repository that received a push during its last run. */
@Injectable()
export class QueueFollowUps implements Chore {
  readonly name = 'follow-ups';

  constructor(@Inject(PUSH_STORE) private readonly pushes: PushStore) {}

  async run(): Promise<void> {
    await this.pushes.queueFollowUps();
  }
}
