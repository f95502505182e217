import { Global, Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { OwnApi } from '../declarations/own-api.js';
import { ChoreRunner } from './chore-runner.service.js';
import { CHORE_GROUPS } from './chores.js';
import { LostPods } from './lost-pods.service.js';

@Global()
@Module({
  imports: [AccessModule],
  providers: [ChoreRunner, LostPods, OwnApi, ...CHORE_GROUPS.flatMap(({ chores }) => chores)],
  exports: [LostPods],
})
export class ChoresModule {}
