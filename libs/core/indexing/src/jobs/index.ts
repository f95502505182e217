import { type ActiveRun, type RunHandler, type RunHandlers, type RunOutcome } from '@core/domain';
import { type HandlerPorts } from './open-run.js';
import { purge } from './purge.js';
import { reportSync, sync } from './sync.js';
import { repair, verify } from './verify.js';

export { chooseRebuild } from './choose-generation.js';
export { type HandlerPorts } from './open-run.js';
export { planRun } from './sync.js';

/** The kinds of runs: each opens what it needs, calls the code that does the work, and returns the outcome. */
export function createHandlers(ports: HandlerPorts): RunHandlers {
  type Work = (active: ActiveRun, ports: HandlerPorts) => Promise<RunOutcome>;
  const handler = (
    name: RunHandler['name'],
    work: Work,
    traits: Partial<Pick<RunHandler, 'acceptsDeleted' | 'isReadOnly'>> = {},
  ): RunHandler => ({ name, acceptsDeleted: false, ...traits, run: (active) => work(active, ports) });
  return {
    repository_sync: handler('repository_sync', sync),
    dry_run: handler('dry_run', reportSync, { isReadOnly: true }),
    verify: handler('verify', verify),
    repair: handler('repair', repair),
    purge: handler('purge', purge, { acceptsDeleted: true }),
  };
}
