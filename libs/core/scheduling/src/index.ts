export { parseCron, nextTick, nextTicks, type CronSchedule } from './cron.js';
export { CRON_FIELD_NAMES, type CronFieldName } from './cron-fields.js';
export { assertTimezone } from './timezone.js';
export { decideClaim } from './decide-claim.js';
