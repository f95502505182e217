import { Global, Module } from '@nestjs/common';
import { DryRunService } from './dry-run.service.js';
import { WorkerService } from './worker.service.js';

@Global()
@Module({ providers: [WorkerService, DryRunService], exports: [WorkerService, DryRunService] })
export class RunsModule {}
