import { type RunHandlers } from '@core/domain';
import { type HandlerPorts } from './open-run.js';
import { purgeHandler } from './purge.js';
import { dryRunHandler, syncHandler } from './sync.js';
import { repairHandler, verifyHandler } from './verify.js';

export { chooseRebuild } from './choose-generation.js';
export { type HandlerPorts } from './open-run.js';
export { planRun } from './sync.js';

/** The kinds of runs: each opens what it needs, calls the code that does the work, and returns the outcome. */
export function createHandlers(ports: HandlerPorts): RunHandlers {
  return {
    repository_sync: syncHandler(ports),
    dry_run: dryRunHandler(ports),
    verify: verifyHandler(ports),
    repair: repairHandler(ports),
    purge: purgeHandler(ports),
  };
}
