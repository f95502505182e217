import { Global, Module, type DynamicModule } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { Logger } from '@core/domain';
import { type Config } from '@platform/config';
import { ChoresModule } from './chores/chores.module.js';
import { InfrastructureModule } from './composition/infrastructure.module.js';
import { DiscoveryRunnerService } from './discoveries/discovery-runner.service.js';
import { ApiModule } from './api.module.js';
import { ConnectionDrain } from './cluster/connection-drain.js';
import { DryRunService } from './runs/dry-run.service.js';
import { WorkerService } from './runs/worker.service.js';
import { SchedulerService } from './scheduler/scheduler.service.js';
import { TickTimers } from './scheduler/tick-timers.js';
import { CONFIG } from './injection-tokens.js';

@Global()
@Module({})
class ProcessModule {
  static of(config: Config, logger: Logger): DynamicModule {
    const providers = [
      { provide: CONFIG, useValue: config },
      { provide: Logger, useValue: logger },
    ];
    return { module: ProcessModule, providers, exports: [CONFIG, Logger] };
  }
}

@Global()
@Module({ providers: [WorkerService, DryRunService], exports: [WorkerService, DryRunService] })
class RunsModule {}

@Module({ providers: [TickTimers, SchedulerService] })
class SchedulerModule {}

@Module({ providers: [DiscoveryRunnerService] })
export class DiscoveryRunnerModule {}

/** The whole service: what a process needs, the adapters, the runs, the scheduler, and the API over them. */
@Module({})
export class AppModule {
  static of(config: Config, logger: Logger): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ProcessModule.of(config, logger),
        InfrastructureModule,
        ScheduleModule.forRoot(),
        ChoresModule,
        RunsModule,
        SchedulerModule,
        DiscoveryRunnerModule,
        ApiModule,
      ],
      providers: [ConnectionDrain],
    };
  }
}
