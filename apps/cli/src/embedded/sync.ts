import { report } from '../output/run-report.js';
import { describePlan } from '../output/summaries.js';
import { printJson } from '../output/tables.js';
import { asAnswered } from './as-answered.js';
import { dryRunNow, findOrRegister, syncNow, type SyncTarget } from './sync-project.js';
import { withApplication } from './with-application.js';

interface SyncOptions {
  branch?: string;
  full?: boolean;
  dryRun?: boolean;
  maxTokens?: number;
  json?: boolean;
}

/** Syncs a project in this process. */
export async function syncHere(project: string, options: SyncOptions): Promise<void> {
  const { full = false, json = false, maxTokens: maxEmbeddingTokens = null } = options;
  const target = { project, ...(options.branch === undefined ? {} : { branch: options.branch }) };
  if (options.dryRun) return plan(target, full, json);
  const execution = await withApplication(async (context, signal) => {
    const repository = await findOrRegister(context, target, signal);
    return asAnswered(await syncNow(context, repository, { full, maxEmbeddingTokens, signal }), repository);
  });
  report(project, execution, json);
}

async function plan(target: SyncTarget, full: boolean, asJson: boolean): Promise<void> {
  const dryRun = await withApplication((context, signal) => dryRunNow(context, target, { full, signal }));
  if (asJson) printJson(dryRun);
  else process.stdout.write(`${target.project}: ${describePlan(dryRun)}\n`);
}
