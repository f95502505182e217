export { chooseGeneration, chooseRebuild } from './choose-generation.js';
export { dryRun } from './dry-run.js';
export { repairRepository } from './repair-repository.js';
export { type RunLimits } from './run-budget.js';
export { syncRepository } from './sync-repository.js';
export { RunWaits } from './run-waits.js';
export { DEFAULT_SYNC_LIMITS, type IndexingPorts, type SyncLimits, type SyncRequest } from './sync-run.js';
export { fileVersionOf } from './identity.js';
export { describeDifferences, verifyRepository } from './verify-repository.js';
