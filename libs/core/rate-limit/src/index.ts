export { QueueingHostLimiter, type LimiterObserver } from './host-limiter.js';
export { MemoryRateLimitStore } from './memory-store.js';
export { FallbackRateLimitStore } from './fallback-store.js';
