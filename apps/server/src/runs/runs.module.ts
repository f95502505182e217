import { Global, Module } from '@nestjs/common';
import { CacheKeeperService } from './cache-keeper.service.js';
import { DryRunService } from './dry-run.service.js';
import { RecoveryService } from './recovery.service.js';
import { runnerPortsProvider } from './runner-ports.js';
import { WorkerService } from './worker.service.js';

@Global()
@Module({
  providers: [WorkerService, RecoveryService, CacheKeeperService, DryRunService, runnerPortsProvider],
  exports: [WorkerService, RecoveryService, DryRunService],
})
export class RunsModule {}
