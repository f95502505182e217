export { createHandlers, planRun, type HandlerPorts } from './jobs/index.js';
export { chooseRebuild } from './run/choose-generation.js';
export { fileVersionOf } from './run/identity.js';
export { describeDifferences } from './check/verify-repository.js';
export { type SyncLimits, type SyncRequest } from './run/sync-run.js';
