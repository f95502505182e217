export { describeDifferences } from './check/verify-repository.js';
export { chooseRebuild, createHandlers, planRun, type HandlerPorts } from './jobs/index.js';
export { fileVersionOf } from './run/identity.js';
export { type SyncLimits, type SyncRequest } from './run/sync-run.js';
