import { type Execution, type SpanAttributes } from '@core/domain';

/** Trace attributes that identify an attempt, named as in the history. */
export function factsOf(execution: Execution, fence: number): SpanAttributes {
  const { id, repositoryId, scheduleSessionId, trigger, handler, attempt } = execution;
  return {
    execution_id: id,
    repository_id: repositoryId,
    ...(scheduleSessionId === null ? {} : { schedule_session_id: scheduleSessionId }),
    ...{ trigger, handler, attempt, fence },
  };
}

/** Trace attributes of the end. @param ended null: another attempt owns the run; `queued`: another attempt follows. */
export function outcomeOf(ended: Execution | null): SpanAttributes {
  if (ended === null) return { status: 'superseded' };
  const { status, errorCode, filesProcessed, chunksUpserted, embeddingsRequested, sourceRequests } = ended;
  const hasFailed = errorCode !== null && (status === 'failed' || status === 'queued');
  return {
    status,
    ...{ files_processed: filesProcessed, chunks_upserted: chunksUpserted },
    ...{ embeddings_requested: embeddingsRequested, source_requests: sourceRequests },
    ...(errorCode === null ? {} : { error_code: errorCode }),
    ...(hasFailed ? { 'error.type': errorCode } : {}),
  };
}
