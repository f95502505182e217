import { type z } from 'zod';
import {
  EXECUTION_SORTS,
  EXECUTION_STATUSES,
  EXECUTION_TRIGGERS,
  RUN_COUNTER_NAMES,
  RUN_COUNTERS,
  RUN_HANDLERS,
  type RunCounter,
} from '@core/domain';
import {
  commit,
  count,
  decimal,
  flag,
  formerCommit,
  instant,
  namedOneOf,
  queryList,
  shown,
  uuid,
  wholeNumber,
} from '../http/fields.js';
import { listOf, model, query, snakeCase, type SnakeCase } from '../http/model.js';
import { REPOSITORY_NAME } from '../repositories/repository-name.schema.js';
import { idFilter, instantFilter, PAGE, podFilter, sortBy, triggerFilter } from '../http/queries.js';
import { MAX_TOKENS } from './budget.schema.js';
import { RunReportDto } from './report.schema.js';

/** One field for each run counter. */
const COUNTERS = Object.fromEntries(
  RUN_COUNTER_NAMES.map((name) => [snakeCase(name), count(RUN_COUNTERS[name])]),
) as { [Name in RunCounter as SnakeCase<Name>]: z.ZodType<number> };

/** A `schedule_execution_logs` row. The CSV export has its columns in this order. */
export const ExecutionDto = model('ExecutionDto', {
  id: uuid('Id of the execution; the `task_id` of its progress.'),
  repository_id: uuid('The repository that it syncs.'),
  ...REPOSITORY_NAME,
  schedule_session_id: uuid('The schedule that started it; null for a manual run.').nullable(),
  trigger: namedOneOf('ExecutionTrigger', EXECUTION_TRIGGERS, 'What started the run.'),
  handler: namedOneOf('RunHandler', RUN_HANDLERS, 'What the run does.'),
  scheduled_for: instant('The tick of the schedule; null when no schedule started it.').nullable(),
  status: namedOneOf('ExecutionStatus', EXECUTION_STATUSES, 'State of the execution.'),
  error_code: shown('Stable name of why it did not complete.', 'branch_not_found').nullable(),
  error_message: shown(
    'What was found, what was expected and what to change.',
    'The branch "main" does not exist.',
  ).nullable(),
  queued_at: instant('When it was queued.'),
  started_at: instant('When its current attempt started.').nullable(),
  completed_at: instant('When it ended.').nullable(),
  duration_seconds: decimal('How long it took.', 3.2).nullable(),
  attempt: count('Number of the current attempt.', 1),
  interruptions: count('How often its pod was lost during an attempt.', 0),
  pod_name: shown('The pod that runs or ran it.', 'repotide-0').nullable(),
  requested_by: shown('Name of the token that requested it.', 'ci').nullable(),
  full_sync: flag('It fetches, chunks and stores everything again.', false),
  max_embedding_tokens: count(
    'Estimated tokens that the caller allows it to embed; null: no limit by the caller.',
    null,
  ).nullable(),
  retry_of_execution_id: uuid('The ended execution that it repeats.').nullable(),
  fetch_strategy: shown(
    'How its last attempt read the code host, with the number of requests: through git, or through the REST API with the reason why git was not used.',
    'head 1, tree 101, archive 1 (rest: source_access_denied)',
  ).nullable(),
  ...COUNTERS,
  from_commit: formerCommit('The commit that the index was at before.').nullable(),
  to_commit: commit('The commit that it brought the index to.').nullable(),
  coalesced_count: count('Further due ticks that this row stands for.', 0),
  scheduled_until: instant('The last tick of a row that stands for a backlog of ticks.').nullable(),
  satisfied_by: uuid('The execution whose run satisfied this tick.').nullable(),
  cancel_requested_at: instant('When its cancellation was requested.').nullable(),
  available_at: instant(
    'It stays queued until then before the next attempt; null: it may start at once.',
  ).nullable(),
  heartbeat_at: instant('When its pod last sent a heartbeat.').nullable(),
  fence: count('Fencing number of its writes; 0 until it starts.', 7),
  report: RunReportDto.nullable().meta({
    description:
      'Result of a dry run, a verify or a repair; null for other runs, and until the run has ended.',
    example: null,
  }),
});
export type ExecutionDto = z.output<typeof ExecutionDto>;
export const ExecutionListDto = listOf(ExecutionDto);

const FILTERS = {
  status: queryList(
    namedOneOf('ExecutionStatus', EXECUTION_STATUSES),
    'Only these statuses; repeat it or separate them by commas.',
  ).optional(),
  trigger: triggerFilter,
  pod_name: podFilter,
  from: instantFilter('Only runs queued at this instant or later.'),
  to: instantFilter('Only runs queued before this instant.'),
};
const LIST = { ...PAGE, sort: sortBy(EXECUTION_SORTS, '-queued_at') };

/** Filters for lists of executions. */
export const EXECUTION_FILTERS = {
  ...FILTERS,
  repository_id: idFilter('Only runs of this repository.'),
  schedule_id: idFilter('Only runs of this schedule.'),
};

export const ScheduleExecutionsQueryDto = query({ ...LIST, ...FILTERS });

export const ExecutionQueryDto = query({ ...LIST, ...EXECUTION_FILTERS });

export const SyncRequestDto = model('SyncRequestDto', {
  full: flag('Ignore the current index: fetch, chunk and store everything again.').default(false),
  dry_run: flag(
    'Only plan: the execution ends with the plan in its `report`, and nothing is changed.',
  ).default(false),
  max_embedding_tokens: wholeNumber(
    1,
    MAX_TOKENS,
    'Estimated tokens that this run may embed; it stops before it exceeds them, as partial with `budget_reached`. ' +
      'Absent: no limit.',
    { example: 2_000_000 },
  ).optional(),
});

export const VerifyRequestDto = model('VerifyRequestDto', {
  repair: flag("Make the index equal the branch's head where it differs.").default(false),
});

export const SyncStartedDto = model('SyncStartedDto', {
  task_id: uuid('Id of the run in the progress endpoints; the same as `execution_id`.'),
  execution_id: uuid('Id of the run in the execution endpoints.'),
});
