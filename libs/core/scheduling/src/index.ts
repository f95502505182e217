export { parseCron, nextTick, nextTicks, type CronSchedule } from './cron.js';
export { spreadCron } from './spread.js';
export { assertTimezone } from './timezone.js';
export { decideClaim } from './decide-claim.js';
export { LocalHints } from './local-hints.js';
export { SoleLeader } from './sole-leader.js';
export { InProcessLeaseManager } from './in-process-lease.js';
export {
  runExecution,
  shutdownReason,
  type ActiveRun,
  type RunHandler,
  type RunHandlers,
  type RunObserver,
  type RunnerPorts,
  type RunnerSettings,
} from './run-execution.js';
export { MemoryProgressBoard } from './progress/memory-progress-board.js';
export { ProgressDesk } from './progress/progress-desk.js';
export { endTask, taskOfRow } from './progress/task-state.js';
export { BookedHostLimiter, type HostLimiterOptions, type LimiterListener } from './limiter/host-limiter.js';
export { MemoryLimiterBook } from './limiter/memory-book.js';
export { FallbackLimiterBook, type SharedBook } from './limiter/fallback-book.js';
