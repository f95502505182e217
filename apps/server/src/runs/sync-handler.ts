import { DEFAULT_SYNC_LIMITS, syncRepository, type IndexingPorts } from '@core/indexing';
import { type RunOutcome, type SourceFactory } from '@core/domain';
import { type ActiveRun, type RunHandler } from '@core/scheduling';

/** The handler of a repository sync: opens the repository's source and lets the conductor work. */
export function createSyncHandler(
  sources: SourceFactory,
  ports: Omit<IndexingPorts, 'source'>,
  fetchConcurrency: number,
): RunHandler {
  return async (run: ActiveRun): Promise<RunOutcome> => {
    const { repository, identity, signal, counters, execution } = run;
    const source = await sources.open({ baseUrl: repository.baseUrl, credentialId: repository.credentialId });
    const limits = { ...DEFAULT_SYNC_LIMITS, fetchConcurrency };
    const request = { identity, repository, fullSync: execution.fullSync, signal, limits, counters };
    return syncRepository(request, { ...ports, source });
  };
}
