import { type Execution } from '@core/domain';
import { columnsOf, selectList } from './columns.js';

const COLUMNS = columnsOf<Execution>({
  id: true,
  scheduleSessionId: true,
  repositoryId: true,
  trigger: true,
  scheduledFor: true,
  status: true,
  attempt: true,
  fence: true,
  podName: true,
  requestedBy: true,
  fullSync: true,
  queuedAt: true,
  startedAt: true,
  heartbeatAt: true,
  completedAt: true,
  durationSeconds: true,
  filesProcessed: true,
  filesAdded: true,
  filesModified: true,
  filesRenamed: true,
  filesDeleted: true,
  filesSkipped: true,
  filesFailed: true,
  chunksUpserted: true,
  chunksDeleted: true,
  embeddingsRequested: true,
  embeddingsReused: true,
  sourceRequests: true,
  bytesFetched: true,
  fromCommit: true,
  toCommit: true,
  coalescedCount: true,
  cancelRequestedAt: true,
  errorCode: true,
  errorMessage: true,
});

/** For rows of `schedule_execution_logs` named `e`. */
export const SELECT_EXECUTION = selectList(COLUMNS, 'e');
