export { InProcessLeaseManager } from './in-process-lease.js';
export { MemoryProgressStore } from './memory-progress-store.js';
export { SoleLeader } from './sole-leader.js';
