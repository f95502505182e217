import { type Embedder, type ActiveRun } from '@core/domain';
import { DEFAULT_SYNC_LIMITS, type IndexingPorts, type SyncRequest } from '../run/sync-run.js';
import { RunWaits } from '../run/run-waits.js';
import { type HandlerPorts } from './handler-ports.js';
import { type OpenIndex } from './open-index.js';

/** What of a run decides what there is to do. */
export interface PlannedRun extends Omit<ActiveRun, 'execution'> {
  execution: Pick<ActiveRun['execution'], 'fullSync'>;
}

/** Opens the source of a run's repository, and says what core needs to work on the index. */
export async function prepareSync(
  { identity, signal, counters, execution }: PlannedRun,
  { repository, collection, manifest, embedder }: Omit<OpenIndex, 'generation'> & { embedder: Embedder },
  ports: HandlerPorts,
): Promise<{ request: SyncRequest; ports: IndexingPorts }> {
  const { baseUrl, credentialId } = repository;
  const waits = new RunWaits(counters, ports.clock);
  const source = await ports.sources.open({ baseUrl, credentialId }, signal, { observer: waits });
  const limits = { ...DEFAULT_SYNC_LIMITS, fetchConcurrency: ports.fetchConcurrency, ...ports.syncLimits };
  const { fullSync } = execution;
  const { secretsPolicy } = ports;
  const index = { identity, repository, collection };
  const request = { ...index, fullSync, secretsPolicy, signal, limits, counters, waits };
  return { request, ports: { ...ports, source, embedder, manifest } };
}
