export { parseCron, nextTick, nextTicks, type CronSchedule } from './cron.js';
export { spreadCron } from './spread.js';
export { assertTimezone } from './timezone.js';
export { decideClaim } from './decide-claim.js';
