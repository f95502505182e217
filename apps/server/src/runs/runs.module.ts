import { Global, Module } from '@nestjs/common';
import { DISPATCHER } from '../tokens.js';
import { RunsService } from './runs.service.js';

@Global()
@Module({
  providers: [RunsService, { provide: DISPATCHER, useExisting: RunsService }],
  exports: [RunsService, DISPATCHER],
})
export class RunsModule {}
