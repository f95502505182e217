import { CATCH_UPS, SCHEDULE_SORTS } from '@core/domain';
import { BUDGET_SETTINGS } from '../executions/budget.schema.js';
import {
  count,
  flag,
  instant,
  list,
  namedOneOf,
  queryFlag,
  shown,
  text,
  uuid,
  wholeNumber,
} from '../http/fields.js';
import { listOf, changes, model, query } from '../http/model.js';
import { REPOSITORY_NAME } from '../repositories/repository-name.schema.js';
import { idFilter, PAGE, sortBy } from '../http/queries.js';

/** One week: a tick that is found later is not worth running. */
const MAX_GRACE_SECONDS = 604_800;

const cronExpression = text(
  200,
  'Minute, hour, day of month, month, day of week. `H` (also `H/15`, `H(0-29)`) is a number derived from the repository, so that schedules spread.',
  { example: '*/15 * * * *' },
);

const CATCH_UP = 'After missed ticks: `latest` starts one run at once; `none` waits for the next tick.';

const SETTINGS = {
  ...BUDGET_SETTINGS,
  timezone: text(64, 'IANA name of the time zone of the expression.', {
    default: 'UTC',
    example: 'Europe/Berlin',
  }).optional(),
  is_active: flag('False: the schedule does not run.', { default: true }).optional(),
  misfire_grace_seconds: wholeNumber(
    0,
    MAX_GRACE_SECONDS,
    'A tick found later than this is recorded as missed. Default: `MISFIRE_GRACE_SECONDS`.',
    { example: 300 },
  ).optional(),
  catch_up: namedOneOf('CatchUp', CATCH_UPS, CATCH_UP, { default: 'latest' }).optional(),
};

export const CreateScheduleDto = model('CreateScheduleDto', {
  ...SETTINGS,
  repository_id: uuid('The repository to sync.'),
  cron_expression: cronExpression,
});

export const UpdateScheduleDto = changes('UpdateScheduleDto', {
  ...SETTINGS,
  cron_expression: cronExpression.optional(),
});

export const ScheduleQueryDto = query({
  ...PAGE,
  sort: sortBy(SCHEDULE_SORTS, 'created_at'),
  repository_id: idFilter('Only schedules of this repository.'),
  is_active: queryFlag('True: only active schedules; false: only paused ones.').optional(),
});

/** A `schedule_sessions` row and its next ticks. */
export const ScheduleDto = model('ScheduleDto', {
  id: uuid('Id of the schedule.'),
  repository_id: uuid('The repository that it syncs.'),
  ...REPOSITORY_NAME,
  cron_expression: cronExpression,
  timezone: shown('IANA name of the time zone of the expression.', 'Europe/Berlin'),
  is_active: flag('False while it is paused.', true),
  misfire_grace_seconds: count('A tick found later than this is recorded as missed.', 300),
  catch_up: namedOneOf('CatchUp', CATCH_UPS, CATCH_UP),
  max_embedding_tokens_per_run: count(
    'Estimated tokens that one run may embed; null: no limit.',
    2_000_000,
  ).nullable(),
  max_embedding_tokens_per_day: count(
    'Estimated tokens that all runs of the repository may embed in 24 hours; null: no limit.',
    10_000_000,
  ).nullable(),
  time_budget_seconds: count('A run stops cleanly after this time; 0 or null: never.', 900).nullable(),
  next_run_at: instant('The next tick, as stored for all pods; null while paused.').nullable(),
  next_ticks: list(instant('A tick.'), 'The next five ticks, soonest first; empty while paused.', {
    max: 5,
    example: ['2026-11-20T09:00:00.000Z', '2026-11-20T09:15:00.000Z'],
  }),
  last_sync_at: instant('When a run of the schedule last completed.').nullable(),
  revision: count('Grows with every edit; the `ETag`.', 1),
  created_at: instant('When it was created.'),
  updated_at: instant('When the row last changed.'),
});

export const SchedulePreviewQueryDto = query({
  cron_expression: cronExpression,
  timezone: text(64, 'IANA name of the time zone of the expression. Default: UTC.', {
    example: 'Europe/Berlin',
  }).optional(),
  repository_id: idFilter('The repository that `H` is derived from.'),
});

export const SchedulePreviewDto = model('SchedulePreviewDto', {
  next_ticks: list(instant('A tick.'), 'The next five ticks, soonest first.', { max: 5 }),
});

export const ScheduleListDto = listOf(ScheduleDto);
