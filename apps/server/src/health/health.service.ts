import { once } from 'node:events';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import {
  RepotideError,
  toRepotideError,
  LeaseManager,
  Logger,
  ScheduleStore,
  VectorStore,
} from '@core/domain';
import { type Config } from '@platform/config';
import { present } from '../http/model.js';
import { CONFIG } from '../injection-tokens.js';
import { DependenciesDto, type Dependencies, type Readiness, RoleDto } from './health.schema.js';

/** Well below usual probe timeouts, so that the answer names the failed dependency before the probe times out. */
const CHECK_TIMEOUT_MS = 2_000;

/** What each role needs in order to do its work. A search answers 503 without the vector store; the rest of the API works. */
const NEEDS: Record<Config['roles'][number], readonly (keyof Dependencies)[]> = {
  api: ['database'],
  scheduler: ['database'],
  worker: ['database', 'vectorStore', 'locks'],
};
const SHOWN: Record<keyof Dependencies, string> = {
  database: 'database',
  vectorStore: 'vector_store',
  locks: 'locks',
};

/** Checks whether this process can serve requests. */
@Injectable()
export class HealthService implements OnModuleDestroy {
  private isStopping = false;

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'roles'>,
    private readonly schedules: ScheduleStore,
    private readonly vectors: VectorStore,
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
    const [database, vectorStore, locks] = await Promise.all([
      this.checkDatabase(),
      this.check('vector_store', (signal) => this.vectors.checkHealth(signal)),
      this.checkLocks(),
    ]);
    const checks = { database, vectorStore, locks };
    const roles = this.config.roles.map((role) => {
      const waitsFor = NEEDS[role]
        .filter((name) => checks[name].status === 'down')
        .map((name) => SHOWN[name]);
      return { role, status: waitsFor.length === 0 ? ('ready' as const) : ('paused' as const), waitsFor };
    });
    // Kubernetes routes requests by this answer, so where the process serves the API, only the API counts.
    const serving = roles.filter(({ role }) => role === 'api' || !this.config.roles.includes('api'));
    const down = [...new Set(serving.flatMap(({ waitsFor }) => waitsFor))];
    if (down.length === 0) return { checks, roles };
    throw new RepotideError('temporary', 'not_ready', `Not answering: ${down.join(', ')}.`, {
      details: {
        checks: present(DependenciesDto, checks),
        roles: roles.map((role) => present(RoleDto, role)),
      },
    });
  }

  /** The stores without which no run can be handed over, if they do not answer. While the process stops, too. */
  async findSilent(): Promise<string[]> {
    const [database, locks] = await Promise.all([this.checkDatabase(), this.checkLocks()]);
    const checks = { database, locks };
    return (['database', 'locks'] as const).filter(
      (name) => checks[name].status === 'down' && checks[name].errorCode !== 'database_closed',
    );
  }

  private checkDatabase(): Promise<Dependencies['database']> {
    return this.check('database', async () => void (await this.schedules.now()));
  }

  private checkLocks(): Promise<Dependencies['locks']> {
    return this.check('locks', () => this.leases.checkHealth());
  }

  /** @param probe may return what does not work although the dependency answers. */
  private async check(
    dependency: string,
    probe: (signal: AbortSignal) => Promise<string[] | void>,
  ): Promise<Dependencies[keyof Dependencies]> {
    const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
    try {
      const limits = await Promise.race([probe(signal), timeout(signal)]);
      return { status: 'up', errorCode: null, limits: limits ?? [] };
    } catch (error) {
      this.logger.warn({ dependency, err: error }, 'Dependency does not answer');
      return { status: 'down', errorCode: toRepotideError(error).code, limits: [] };
    }
  }
}

/** Rejects once the signal fires, because not every port accepts a signal. */
async function timeout(signal: AbortSignal): Promise<never> {
  await once(signal, 'abort');
  throw new RepotideError('temporary', 'no_answer', `No answer within ${CHECK_TIMEOUT_MS} ms.`);
}
