import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import {
  RepotideError,
  toRepotideError,
  ExecutionStore,
  LeaseManager,
  Logger,
  ScheduleStore,
  VectorStore,
} from '@core/domain';
import { present } from '../http/model.js';
import { DependenciesDto, type Readiness } from './health.schema.js';

/** Well below usual probe timeouts, so that the answer names the failed dependency before the probe times out. */
const CHECK_TIMEOUT_MS = 2_000;

/** Checks whether this process can serve requests. */
@Injectable()
export class HealthService implements OnModuleDestroy {
  private isStopping = false;

  constructor(
    private readonly schedules: ScheduleStore,
    private readonly vectors: VectorStore,
    private readonly executions: ExecutionStore,
    private readonly leases: LeaseManager,
    private readonly logger: Logger,
  ) {}

  /** Reports "not ready" from now on, so that no new requests arrive; current ones are completed. */
  onModuleDestroy(): void {
    this.isStopping = true;
  }

  /** @throws temporary `shutting_down`, or `not_ready` with each dependency in its details. */
  async readiness(): Promise<Readiness> {
    if (this.isStopping)
      throw new RepotideError('temporary', 'shutting_down', 'This process is shutting down.');
    const [database, vectorStore, queue, locks] = await Promise.all([
      this.check('database', () => this.schedules.now()),
      this.check(
        'vector_store',
        (signal) => this.vectors.checkHealth(signal),
        (limits) => limits,
      ),
      this.check('queue', () => this.executions.countQueued()),
      this.check('locks', () => this.leases.checkHealth()),
    ]);
    const checks = { database, vectorStore, queue, locks };
    const shown = present(DependenciesDto, checks);
    const down = Object.entries(shown).flatMap(([name, { status }]) => (status === 'down' ? [name] : []));
    if (down.length === 0) return checks;
    throw new RepotideError('temporary', 'not_ready', `Not answering: ${down.join(', ')}.`, {
      details: { checks: shown },
    });
  }

  private async check<Answer>(
    dependency: string,
    probe: (signal: AbortSignal) => Promise<Answer>,
    limitsOf: (answer: Answer) => string[] = () => [],
  ): Promise<Readiness[keyof Readiness]> {
    const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
    try {
      const answer = await Promise.race([probe(signal), timeout(signal)]);
      return { status: 'up', errorCode: null, limits: limitsOf(answer) };
    } catch (error) {
      this.logger.warn({ dependency, err: error }, 'Dependency does not answer');
      return { status: 'down', errorCode: toRepotideError(error).code, limits: [] };
    }
  }
}

/** Rejects once the signal fires, because not every port accepts a signal. */
function timeout(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener(
      'abort',
      () => {
        reject(new RepotideError('temporary', 'no_answer', `No answer within ${CHECK_TIMEOUT_MS} ms.`));
      },
      { once: true },
    );
  });
}
