import { DEFAULT_SYNC_LIMITS, syncRepository } from '@core/indexing';
import { type RunHandler } from '@core/scheduling';
import { type HandlerPorts } from './handler-ports.js';

/** Makes the index equal the branch's head: opens the repository's source and lets the conductor work. */
export function repositorySyncHandler(ports: HandlerPorts): RunHandler {
  return {
    name: 'repository_sync',
    takesDeleted: false,
    run: async ({ repository, identity, signal, counters, execution }) => {
      const { baseUrl, credentialId } = repository;
      const source = await ports.sources.open({ baseUrl, credentialId }, signal);
      const limits = {
        ...DEFAULT_SYNC_LIMITS,
        fetchConcurrency: ports.fetchConcurrency,
        ...ports.syncLimits,
      };
      const { secretsPolicy } = ports;
      const { fullSync } = execution;
      const request = { identity, repository, fullSync, secretsPolicy, signal, limits, counters };
      return syncRepository(request, { ...ports, source });
    },
  };
}
