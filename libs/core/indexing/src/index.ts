export { chooseGeneration, chooseRebuild } from './choose-generation.js';
export { syncRepository } from './sync-repository.js';
export { RunWaits } from './run-waits.js';
export { DEFAULT_SYNC_LIMITS, type IndexingPorts, type SyncLimits, type SyncRequest } from './sync-run.js';
export { fileVersionOf } from './identity.js';
export { verifyRepository, type VerifyReport, type VerifyRequest } from './verify-repository.js';
