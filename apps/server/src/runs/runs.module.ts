import { Global, Module } from '@nestjs/common';
import { RecoveryService } from './recovery.service.js';
import { WorkerService } from './worker.service.js';

@Global()
@Module({ providers: [WorkerService, RecoveryService], exports: [WorkerService, RecoveryService] })
export class RunsModule {}
