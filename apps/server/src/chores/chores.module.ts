import { Global, Module } from '@nestjs/common';
import { ChoreRunner } from './chore-runner.service.js';
import { CHORE_GROUPS } from './chores.js';
import { LostPods } from './lost-pods.service.js';

@Global()
@Module({
  providers: [ChoreRunner, LostPods, ...CHORE_GROUPS.flatMap(({ chores }) => chores)],
  exports: [LostPods],
})
export class ChoresModule {}
