import { z } from 'zod';
import { STAGES, WORKING_STAGES } from '@core/domain';
import { count, decimal, flag, instant, list, namedOneOf, oneOf, shown, text, uuid } from '../http/fields.js';
import { listOf, model, query } from '../http/model.js';

export const ProgressQueryDto = query({
  user_id: text(200, 'Name of a token; default: the calling token.', { example: 'ci' }).optional(),
});

const StageCountDto = model('StageCountDto', {
  stage: oneOf(WORKING_STAGES, 'The stage.', { example: 'embedding' }),
  state: oneOf(['waiting', 'active', 'done'], '`waiting`: it has nothing to work on yet, or at the moment.', {
    example: 'active',
  }),
  done: count('What it has done, earlier attempts included.', 64),
  total: count('Of how many; null: not known yet.', 128).nullable(),
  unit: oneOf(['steps', 'files', 'chunks'], 'What it counts.', { example: 'chunks' }),
});

/** Live progress of one run. */
export const ProgressDto = model('ProgressDto', {
  task_id: uuid('Id of the task: its execution.'),
  user_id: shown('Name of the token that requested the run; null for a schedule.', 'ci').nullable(),
  collection_name: shown('The collection that it writes.', 'repotide'),
  status: namedOneOf(
    'Stage',
    STAGES,
    'The stage in whose range the progress is, or how it ended; `stages` has the work of each.',
  ),
  progress: count('Per cent; never falls.', 42, { maximum: 100 }),
  current_step: shown('The stage again, for displays that count steps.', 'embedding'),
  total_steps: count('Number of steps.', 7),
  current_step_number: count('Number of the current step.', 6),
  message: shown('One line for people.', 'Indexing: 128 chunks read, 64 embedded, 0 stored'),
  error: shown('Why it failed: code and message.', 'source_unavailable: GitLab does not answer.').nullable(),
  repository_path: shown('Full path of the project.', 'team/app'),
  branch: shown('The branch.', 'main'),
  total_files: count('Files that this run has to process.'),
  processed_files: count('Files processed so far.'),
  current_file: shown('The file being processed.', 'src/main.ts').nullable(),
  failed_files: count('Files that failed.', 0),
  created_at: instant('When the run began.'),
  updated_at: instant('When its progress last changed.'),
  cancelled: flag('It was cancelled.', false),
  stages: list(
    StageCountDto,
    'What each stage has done. Those from downloading to storing work at the same time, so several are active. Empty before the work is planned.',
  ),
  files_per_second: decimal(
    'Since the present attempt began to work; null: too early to tell.',
    12.5,
  ).nullable(),
  eta_seconds: count('Seconds that are left at this pace; null: too early to tell.', 40).nullable(),
});
export const ProgressListDto = listOf(ProgressDto);

export const ProgressStatsDto = model('ProgressStatsDto', {
  total: count('Tasks whose progress is kept.'),
  by_status: z.custom<Partial<Record<(typeof STAGES)[number], number>>>().meta({
    description: 'Number of tasks in each stage.',
    type: 'object',
    additionalProperties: { type: 'integer' },
    example: { embedding: 2, completed: 5 },
  }),
});
