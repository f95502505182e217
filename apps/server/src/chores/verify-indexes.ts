import { Inject, Injectable } from '@nestjs/common';
import { ExecutionStore, RepositoryStore } from '@core/domain';
import { type Config } from '@platform/config';
import { CONFIG } from '../injection-tokens.js';
import { type Chore } from './chore.js';
import { queueRecoveryRun } from './queue-runs.js';

export const VERIFY_ROUND_SECONDS = 60;
const DAY_SECONDS = 86_400;
/** The rest of the interval is left for waiting, for busy repositories and for a verification that failed. */
const SHARE_OF_INTERVAL = 0.75;

/** Queues verifications of the repositories whose turn it is, and a repair where one found a drift. */
@Injectable()
export class VerifyIndexes implements Chore {
  readonly name = 'verification';

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'verification'>,
    private readonly executions: ExecutionStore,
    private readonly repositories: RepositoryStore,
  ) {}

  async run(): Promise<void> {
    for (const { id } of await this.repositories.listDrifted())
      await queueRecoveryRun(id, 'repair', this.executions);
    const { intervalDays } = this.config.verification;
    if (intervalDays === 0) return;
    const afterSeconds = intervalDays * DAY_SECONDS * SHARE_OF_INTERVAL;
    const pace = { afterSeconds, roundSeconds: VERIFY_ROUND_SECONDS };
    for (const { id } of await this.repositories.listUnverified(pace))
      await queueRecoveryRun(id, 'verify', this.executions);
  }
}
