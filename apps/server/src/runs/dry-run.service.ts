import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { zeroCounters, type DryRunReport, type Repository } from '@core/domain';
import { HANDLER_PORTS } from '../injection-tokens.js';
import { planRun, type HandlerPorts } from '@core/indexing';

/** Plans a sync in this process, without an execution and a lease; for commands. */
@Injectable()
export class DryRunService {
  constructor(@Inject(HANDLER_PORTS) private readonly ports: HandlerPorts) {}

  /** Writes nothing; the repository needs no row. @throws as the sync would. */
  plan(
    repository: Repository,
    { fullSync }: { fullSync: boolean },
    signal: AbortSignal,
  ): Promise<DryRunReport> {
    const identity = { executionId: randomUUID(), repositoryId: repository.id, fence: 0 };
    const run = { identity, repository, signal, counters: zeroCounters(), execution: { fullSync } };
    return planRun(run, this.ports);
  }
}
