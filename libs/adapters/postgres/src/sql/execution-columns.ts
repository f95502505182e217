import { RUN_COUNTER_NAMES, type Execution, type RunCounter } from '@core/domain';
import { columnsOf, selectList } from './columns.js';

const COLUMNS = columnsOf<Omit<Execution, RunCounter>>({
  id: true,
  scheduleSessionId: true,
  repositoryId: true,
  trigger: true,
  handler: true,
  scheduledFor: true,
  scheduledUntil: true,
  status: true,
  attempt: true,
  fence: true,
  podName: true,
  requestedBy: true,
  fullSync: true,
  maxEmbeddingTokens: true,
  retryOfExecutionId: true,
  queuedAt: true,
  availableAt: true,
  interruptions: true,
  startedAt: true,
  heartbeatAt: true,
  completedAt: true,
  durationSeconds: true,
  fromCommit: true,
  toCommit: true,
  fetchStrategy: true,
  report: true,
  coalescedCount: true,
  satisfiedBy: true,
  cancelRequestedAt: true,
  errorCode: true,
  errorMessage: true,
});

/**
 * For rows without an alias. Every run except a dry run excludes other runs of its repository. A dry run only
 * reads, so it blocks no run and waits for none.
 */
export const OCCUPIES_REPOSITORY = `handler <> 'dry_run'`;

/** For rows of `schedule_execution_logs` named `e`. */
export const SELECT_EXECUTION = selectList([...COLUMNS, ...RUN_COUNTER_NAMES], 'e');
