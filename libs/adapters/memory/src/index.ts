export { InProcessDispatcher } from './in-process-dispatcher.js';
export { InProcessLeaseManager } from './in-process-lease.js';
export { LocalHints } from './local-hints.js';
export { MemoryProgressStore } from './memory-progress-store.js';
export { SoleLeader } from './sole-leader.js';
