import { TIMELINE_BUCKETS } from '@core/domain';
import {
  count,
  decimal,
  flag,
  instant,
  list,
  namedOneOf,
  queryNumber,
  shown,
  text,
  uuid,
  wholeNumber,
} from '../http/fields.js';
import { model, query } from '../http/model.js';
import { idFilter, instantFilter, podFilter, triggerFilter } from '../http/queries.js';

const MOST_SUBJECTS = 500;

const FILTER = {
  from: instantFilter(
    'Only runs queued at this instant or later, and at most 3,660 days before `to`. Default: seven days before `to`. The answer says which range it covers.',
  ),
  to: instantFilter('Only runs queued before this instant. Default: now.'),
  repository_id: idFilter('Only runs of this repository.'),
  schedule_id: idFilter('Only runs of this schedule.'),
  trigger: triggerFilter,
  pod_name: podFilter,
};
const ZONED_FILTER = {
  ...FILTER,
  timezone: text(64, 'IANA name of the time zone of hours and days.', {
    default: 'UTC',
    example: 'Europe/Berlin',
  }).prefault('UTC'),
};

export const HistoryQueryDto = query(FILTER);

export const TimelineQueryDto = query({
  ...ZONED_FILTER,
  bucket: namedOneOf(
    'TimelineBucketSize',
    TIMELINE_BUCKETS,
    'Length of a bucket; a longer one is taken when the range has more than 1,000. Default: `hour` up to 3 days, `day` up to 92, else `week`.',
  ).optional(),
});

export const FailuresQueryDto = query({
  ...ZONED_FILTER,
  limit: queryNumber(
    1,
    MOST_SUBJECTS,
    'How many repositories and error codes to answer, those with most failures first.',
  ).prefault(20),
});

const ANSWERED_RANGE = {
  from: instant('Runs queued from here on; the midnight (UTC) before `from` where rows were deleted.'),
  to: instant('Runs queued before this.'),
  rows_deleted_before: instant(
    'Executions queued before this were deleted by retention. Numbers over all repositories include them; those of one ' +
      'repository or schedule do not. Null when none was deleted yet.',
  ).nullable(),
};

const OUTCOMES = {
  completed: count('The index equals the branch.', 160),
  partial: count('As completed, except for files that failed.', 3),
  failed: count('Ended by an error.', 2),
  cancelled: count('Stopped on request.', 0),
  missed: count('Ticks that were found too late to run.', 0),
  skipped: count('Ticks passed over, for example because the repository was busy.', 2),
};

const WorkTotalsDto = model('WorkTotalsDto', {
  files_processed: count('Changed files that runs looked at.'),
  files_failed: count('Files that failed.', 0),
  chunks_upserted: count('Points stored.'),
  chunks_deleted: count('Points removed.'),
  embeddings_requested: count('Texts sent to the embedder.'),
  embeddings_reused: count('Vectors from the cache or from points with the same content.'),
});

const seconds = (description: string, example: number) => decimal(description, example).nullable();

const DurationsDto = model('DurationsDto', {
  runs: count('Runs that started and ended, however they ended: the others have no duration.', 165),
  mean_seconds: seconds('Mean.', 12.4),
  p50_seconds: seconds('Half of the runs took no longer.', 8.1),
  p95_seconds: seconds('95 % of the runs took no longer.', 41.7),
  max_seconds: seconds('The longest.', 318.2),
  is_exact: flag(
    'False: p50 and p95 are off by up to 1 %, because rows were deleted or very many runs took equally long.',
    true,
  ),
});

export const HistorySummaryDto = model('HistorySummaryDto', {
  ...ANSWERED_RANGE,
  total_runs: count('All runs of the range.', 168),
  runs: model('RunsByStatusDto', {
    queued: count('Waiting now.', 0),
    running: count('Running now.', 1),
    ...OUTCOMES,
  }).describe('Runs by status.'),
  success_rate: decimal(
    'Completed among completed, partial and failed; null when there is none of these.',
    0.9697,
    { minimum: 0, maximum: 1 },
  ).nullable(),
  durations: DurationsDto.describe('How long runs took.'),
  totals: WorkTotalsDto.describe('What they did.'),
  suggested_lease_ttl: model('SuggestedLeaseTtlDto', {
    seconds: count('For `LEASE_TTL_SECONDS`.', 60),
    explanation: shown(
      'How it was computed.',
      '95 % of 165 runs took at most 41.7 s: rounded up to 45 s, at least 45 s, three renewals, and at most 300 s.',
    ),
  }).describe('A lease life that fits these runs.'),
});

const TimelineBucketDto = model('TimelineBucketDto', {
  start: instant('Where it begins; the first with the range.'),
  end: instant('Where it ends; the last with the range.'),
  runs: model('RunsByOutcomeDto', OUTCOMES).describe('Runs queued in it that have ended, by outcome.'),
  totals: WorkTotalsDto.describe('What they did.'),
});

export const TimelineDto = model('TimelineDto', {
  ...ANSWERED_RANGE,
  bucket: namedOneOf('TimelineBucketSize', TIMELINE_BUCKETS, 'Length of a bucket.'),
  timezone: shown('The zone in which days and weeks begin at midnight.', 'Europe/Berlin'),
  buckets: list(TimelineBucketDto, 'Oldest first, without gaps.'),
});

const FAILURE_COUNTS = {
  failures: count('Failed, partial and missed together.', 4),
  failed: count('Ended by an error.', 2),
  partial: count('Completed, except for files that failed.', 1),
  missed: count('Ticks that were found too late to run.', 1),
};

export const FailureBreakdownDto = model('FailureBreakdownDto', {
  ...ANSWERED_RANGE,
  timezone: shown('The time zone of the hours.', 'Europe/Berlin'),
  total: model('FailureCountsDto', FAILURE_COUNTS).describe('All of the range.'),
  by_hour: list(
    model('FailuresByHourDto', {
      hour: wholeNumber(0, 23, 'Hour of the day.', { example: 3 }),
      ...FAILURE_COUNTS,
    }),
    '24 entries, by the hour in which the run was queued.',
  ),
  by_repository: list(
    model('FailuresByRepositoryDto', {
      repository_id: uuid('The repository, deleted or not.'),
      project_path: shown('Full path of its project.', 'group/project'),
      branch: shown('Its branch.', 'main'),
      ...FAILURE_COUNTS,
    }),
    'Most failures first.',
  ),
  by_error_code: list(
    model('FailuresByErrorCodeDto', {
      error_code: shown(
        'Stable name of the error; null where none was recorded.',
        'branch_not_found',
      ).nullable(),
      ...FAILURE_COUNTS,
    }),
    'Most failures first.',
  ),
});
