// sync-repository.ts is the order of a sync. The folders: jobs/ the kinds of runs; run/ the state of one run (budget,
// progress, fetch strategies, identity); plan/ what must change; read/ file contents from the code host; store/ chunks,
// vectors, points and rows; check/ dry run, verify and repair.
export { describeDifferences } from './check/verify-repository.js';
export { chooseRebuild, createHandlers, planRun, type HandlerPorts } from './jobs/index.js';
export { blobIdOf } from './plan/git-trees.js';
export { prepareContent } from './read/prepare-content.js';
export { fileVersionOf } from './run/identity.js';
export { findLeftovers, sweepStrays } from './store/sweep-strays.js';
export { type SyncLimits, type SyncRequest } from './run/sync-run.js';
