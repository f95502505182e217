import { type RunHandlers } from '@core/scheduling';
import { type HandlerPorts } from './handler-ports.js';
import { dryRunHandler } from './dry-run.handler.js';
import { purgeHandler } from './purge.handler.js';
import { repositorySyncHandler } from './repository-sync.handler.js';
import { repairHandler, verifyHandler } from './verify.handler.js';

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
