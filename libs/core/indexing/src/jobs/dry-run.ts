import { type DryRunReport, type RunHandler } from '@core/domain';
import { dryRun } from '../check/dry-run.js';
import { type HandlerPorts } from './handler-ports.js';
import { openToPlan } from './open-index.js';
import { prepareSync, type PlannedRun } from './sync-request.js';

/** Says what a sync would do; the row keeps it. Only reads, so it goes on beside a sync of the same repository. */
export function dryRunHandler(ports: HandlerPorts): RunHandler {
  return {
    name: 'dry_run',
    takesDeleted: false,
    isReadOnly: true,
    run: async (active) => {
      const report = await planRun(active, ports);
      const commits = { fromCommit: report.from_commit, toCommit: report.to_commit };
      const done = { status: 'completed', errorCode: null, errorMessage: null } as const;
      return { ...done, ...commits, counters: active.counters, report };
    },
  };
}

/** What a sync of this run's repository would do. */
export async function planRun(active: PlannedRun, ports: HandlerPorts): Promise<DryRunReport> {
  const { request, ports: indexing } = await prepareSync(
    active,
    await openToPlan(ports, active.repository),
    ports,
  );
  return dryRun(request, indexing, ports.embeddingPricePerMillionTokens);
}
