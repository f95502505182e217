import { Injectable } from '@nestjs/common';
import { PushStore } from '@adapters/postgres';
import { type Chore } from './chore.js';

/** Queues a sync for each repository that received a push during its last run. */
@Injectable()
export class QueueFollowUps implements Chore {
  readonly name = 'follow-ups';

  constructor(private readonly pushes: PushStore) {}

  async run(): Promise<void> {
    await this.pushes.queueFollowUps();
  }
}
