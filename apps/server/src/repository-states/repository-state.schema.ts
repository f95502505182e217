import { z } from 'zod';
import { EXECUTION_STATUSES, REPOSITORY_STATE_SORTS, REPOSITORY_STATES } from '@core/domain';
import {
  commit,
  count,
  decimal,
  flag,
  instant,
  namedOneOf,
  queryList,
  shown,
  text,
  uuid,
} from '../http/fields.js';
import { model, query } from '../http/model.js';
import { PAGE, sortBy } from '../http/queries.js';
import { REPOSITORY_FILTERS } from '../repositories/repository.schema.js';

const state = (description?: string) => namedOneOf('RepositoryStateName', REPOSITORY_STATES, description);

export const RepositoryStateQueryDto = query({
  ...PAGE,
  sort: sortBy(REPOSITORY_STATE_SORTS, 'state'),
  state: queryList(state(), 'Only these states; repeat it or separate them by commas.').optional(),
  ...REPOSITORY_FILTERS,
  group: text(1000, 'Only projects of this group and its subgroups.', { example: 'platform' }).optional(),
});

/** How a repository is, why, and what to do about it. */
export const RepositoryStateDto = model('RepositoryStateDto', {
  repository_id: uuid('Id of the repository.'),
  project_path: shown('Full path of the project.', 'group/project'),
  branch: shown('The branch that is indexed.', 'main'),
  base_url: shown('Address of the code host.', 'https://gitlab.example.com'),
  state: state(
    'Of several that apply, the most urgent: `failing` (the last sync failed), `retrying` (the next attempt has a time), ' +
      '`drifting` (the index differs from the tree or was lost), `missing` (its discovery does not find it), ' +
      '`incomplete` (the last sync ended partially), `stale` (a tick passed without a sync), `waiting` (its run may not ' +
      'start yet), `running`, `queued`, `new` (never synced), `paused` (all its schedules are), `synced`.',
  ),
  reason: shown(
    'Why, in one sentence; null: nothing to say.',
    'The host answered 401: the token is not accepted.',
  ).nullable(),
  remedy: shown(
    'What to do about it; null: nothing.',
    'Give the credential a new token; then retry.',
  ).nullable(),
  error_code: shown('Stable name of the error behind it.', 'source_token_rejected').nullable(),
  since: instant('Since when.').nullable(),
  until: instant('When it is tried again or runs next; null: unknown.').nullable(),
  last_synced_commit: commit('The commit that the index equals.').nullable(),
  last_sync_at: instant('When the last sync completed.').nullable(),
  last_execution_id: uuid('The last sync that completed, failed or ended partially.').nullable(),
  last_status: namedOneOf('ExecutionStatus', EXECUTION_STATUSES, 'How it ended.').nullable(),
  last_ended_at: instant('When it ended.').nullable(),
  last_duration_seconds: decimal('How long it took.', 3.2).nullable(),
  live_execution_id: uuid('The run that is queued or runs now.').nullable(),
  live_status: namedOneOf('ExecutionStatus', EXECUTION_STATUSES, 'Its status.').nullable(),
  next_run_at: instant('The next tick of its schedules; null: none.').nullable(),
  schedule_count: count('Its schedules.', 1),
  active_schedule_count: count('Its schedules that are not paused.', 1),
  file_count: count('Files of the tree that the index knows.', 420),
  indexed_file_count: count('Files that are in the index.', 398),
  size_bytes: count('Size of the files.', 1_048_576),
  chunk_count: count('Points in the index.', 1_204),
});

const RepositoryStateCountsDto = model(
  'RepositoryStateCountsDto',
  Object.fromEntries(
    REPOSITORY_STATES.map((name) => [name, count(`Repositories that are ${name}.`, 1)]),
  ) as Record<(typeof REPOSITORY_STATES)[number], z.ZodType<number>>,
);

export const RepositoryStateListDto = model('RepositoryStateListDto', {
  items: z.array(RepositoryStateDto),
  total: count('How many match, on all pages.', 1),
  counts: RepositoryStateCountsDto.meta({
    description: 'How many are in each state, under all filters except `state`.',
  }),
  is_scheduling_paused: flag('No tick runs, because `scheduling_paused` is set.', false),
});
