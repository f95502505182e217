import { type ExecutionTrigger } from '@core/domain';
import { IS_SCHEDULED_VERIFICATION } from './fence.js';

/**
 * Executions are ordered by age, and these seconds make one older or younger. Age grows without bound, so no trigger
 * starves another: a scheduled run waits behind the manual runs of at most two minutes after it.
 */
const HEAD_START_SECONDS: Record<ExecutionTrigger, number> = {
  manual: 120,
  webhook: 15,
  recovery: 0,
  cron: 0,
};

/** Everything else that is due comes first, for a quarter of an hour. */
const VERIFICATION_WAITS_SECONDS = 900;

const HEAD_START = `CASE WHEN ${IS_SCHEDULED_VERIFICATION} THEN interval '-${VERIFICATION_WAITS_SECONDS} s'
  ELSE CASE trigger ${Object.entries(HEAD_START_SECONDS)
    .map(([trigger, seconds]) => `WHEN '${trigger}' THEN interval '${seconds} s'`)
    .join(' ')} END END`;

/** Computed in UTC, because only arithmetic without a time zone can be indexed. Other SQL here needs another index. */
export const QUEUE_ORDER = `((COALESCE(available_at, queued_at) AT TIME ZONE 'UTC') - ${HEAD_START})`;
