import { Global, Module } from '@nestjs/common';
import { RecoveryService } from './recovery.service.js';
import { runnerPortsProvider } from './runner-ports.js';
import { WorkerService } from './worker.service.js';

@Global()
@Module({
  providers: [WorkerService, RecoveryService, runnerPortsProvider],
  exports: [WorkerService, RecoveryService],
})
export class RunsModule {}
