export { connectRedis, type ConnectRedisOptions, type RedisConnections } from './connect-redis.js';
export { createRedisLeaseManager } from './lease/lease-manager.js';
export { type StartRenewalThread } from './lease/renewer.js';
export { createRedisLeaderElection } from './leader-election.js';
export { createBullDispatcher, type BullDispatcher } from './dispatch/bull-dispatcher.js';
export { createRedisHints, type RedisHints } from './hints.js';
export { RedisProgressStore } from './progress/progress-store.js';
export { createRedisRateLimitStore } from './rate-limit/rate-limit-store.js';
