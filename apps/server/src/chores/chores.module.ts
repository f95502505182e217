import { Global, Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { OwnApi } from '../declarations/own-api.js';
import { SearchGateService } from '../collections/gate/search-gate.service.js';
import { ReadableRepositories } from '../reading/readable-repositories.js';
import { SearchService } from '../search/search.service.js';
import { ChoreRunner } from './chore-runner.service.js';
import { CHORE_GROUPS } from './chores.js';
import { LostPods } from './lost-pods.service.js';

@Global()
@Module({
  imports: [AccessModule],
  // A pod without the API creates these itself.
  providers: [
    ChoreRunner,
    LostPods,
    OwnApi,
    SearchGateService,
    SearchService,
    ReadableRepositories,
    ...CHORE_GROUPS.flatMap(({ chores }) => chores),
  ],
  exports: [LostPods],
})
export class ChoresModule {}
