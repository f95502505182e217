import { type RunHandlers } from '@core/domain';
import { type HandlerPorts } from './handler-ports.js';
import { dryRunHandler } from './dry-run.js';
import { purgeHandler } from './purge.js';
import { repositorySyncHandler } from './repository-sync.js';
import { repairHandler, verifyHandler } from './verify.js';

export { planRun } from './dry-run.js';
export { type HandlerPorts } from './handler-ports.js';

/** Every kind of run by its name; the type fails to compile when one is missing. */
export function createHandlers(ports: HandlerPorts): RunHandlers {
  return {
    repository_sync: repositorySyncHandler(ports),
    dry_run: dryRunHandler(ports),
    verify: verifyHandler(ports),
    repair: repairHandler(ports),
    purge: purgeHandler(ports),
  };
}
