import { systemClock } from '@core/domain';
import { InProcessLeaseManager, MemoryLimiterBook, SoleLeader } from '@core/scheduling';
import { InProcessDispatcher } from '../../apps/server/src/runs/in-process-dispatcher.js';
import { dispatcherContract } from './dispatcher.contract.js';
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

dispatcherContract('in process', async (concurrency) => ({
  queue: new InProcessDispatcher(concurrency),
  holdsDelayed: false,
  close: async () => undefined,
}));

const WINDOW_MS = 400;

limiterContract('in process', async () => ({
  open: async () => new MemoryLimiterBook(systemClock, WINDOW_MS),
  spansPods: false,
  windowMs: WINDOW_MS,
  close: async () => undefined,
}));
