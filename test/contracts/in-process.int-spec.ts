import { systemClock } from '@core/domain';
import { InProcessLeaseManager, SoleLeader } from '@adapters/memory';
import { MemoryRateLimitStore } from '@core/rate-limit';
import { leaderContract } from './leader.contract.js';
import { leaseContract } from './lease.contract.js';
import { limiterContract } from './limiter.contract.js';

leaseContract('in process', async () => ({
  open: async (podName) => new InProcessLeaseManager(podName),
  close: async () => undefined,
  spansPods: false,
  expiresAfterMs: null,
  survivesRestart: false,
}));

leaderContract('alone', async () => ({
  open: async (podName) => new SoleLeader(podName),
  close: async () => undefined,
  spansPods: false,
}));

const WINDOW_MS = 400;

limiterContract('in process', async () => ({
  open: async () => new MemoryRateLimitStore(systemClock, WINDOW_MS),
  spansPods: false,
  windowMs: WINDOW_MS,
  close: async () => undefined,
}));
