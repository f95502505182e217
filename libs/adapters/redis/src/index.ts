export { connectRedis, type ConnectRedisOptions, type RedisConnections } from './connect-redis.js';
export { createRedisLeaseManager } from './lease/lease-manager.js';
export { type StartRenewalThread } from './lease/renewer.js';
export { createRedisLeaderElection } from './leader-election.js';
export { RedisProgressStore } from './progress/progress-store.js';
export { createRedisRateLimitStore } from './rate-limit/rate-limit-store.js';
export { RedisRequestLimits } from './rate-limit/request-limits.js';
