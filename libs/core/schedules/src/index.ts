export { parseCron, nextTick, nextTicks, type CronSchedule } from './cron.js';
export { cronOf, spreadCron } from './spread.js';
export { assertTimezone } from './timezone.js';
export { decideClaim, scheduleTiming } from './decide-claim.js';
