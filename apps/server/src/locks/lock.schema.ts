import { EXECUTION_STATUSES } from '@core/domain';
import { count, instant, namedOneOf, shown, trimmedText, uuid } from '../http/fields.js';
import { listOf, model, query } from '../http/model.js';

export const ReleaseQueryDto = query({
  reason: trimmedText(500, 'Why; recorded in the audit log.', { maxLength: 500, example: 'The pod hangs.' }),
});

/** The lease on a repository. */
export const LockDto = model('LockDto', {
  repository_id: uuid('The repository that it keeps for one run.'),
  project_path: shown('Full path of its project; null when it is unknown.', 'group/project').nullable(),
  branch: shown('The branch that it follows; null when it is unknown.', 'main').nullable(),
  pod_name: shown('The pod that holds it.', 'repotide-0'),
  execution_id: uuid('The execution that it is held for.'),
  fence: count('Fencing number of its writes.', 7),
  held_since: instant('Start of the attempt that holds it; null when the execution is unknown.').nullable(),
  expires_at: instant(
    'When it ends unless it is renewed; null when it lives as long as its holder’s connection or process.',
  ).nullable(),
  execution_status: namedOneOf(
    'ExecutionStatus',
    EXECUTION_STATUSES,
    'State of the execution; null when it is unknown.',
  ).nullable(),
  heartbeat_at: instant('When the execution last sent a heartbeat.').nullable(),
  cancel_requested_at: instant('When its cancellation was requested.').nullable(),
});
export const LockListDto = listOf(LockDto);
