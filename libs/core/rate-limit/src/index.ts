export { BookedHostLimiter, type HostLimiterOptions, type LimiterListener } from './host-limiter.js';
export { MemoryRateLimitStore } from './memory-store.js';
export { FallbackRateLimitStore, type SharedRateLimitStore } from './fallback-store.js';
