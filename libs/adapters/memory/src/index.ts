export { InProcessDispatcher } from './in-process-dispatcher.js';
export { InProcessLeaseManager } from './in-process-lease.js';
export { LocalHints } from './local-hints.js';
export { MemoryProgressBoard } from './memory-progress-board.js';
export { SoleLeader } from './sole-leader.js';
