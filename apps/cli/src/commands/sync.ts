import { InvalidArgumentError, type Command } from 'commander';
import { type Execution } from '@core/domain';
import { ExecutionDto, present } from '../../../server/src/index.js';
import { summarize, describePlan } from '../output/summaries.js';
import { dryRunNow, findOrRegister, syncNow, type SyncTarget } from '../sync-project.js';
import { printJson, withApplication } from '../with-application.js';

interface SyncOptions {
  branch?: string;
  full?: boolean;
  dryRun?: boolean;
  maxTokens?: number;
  json?: boolean;
}

export function addSyncCommand(program: Command): void {
  program
    .command('sync')
    .description('sync one GitLab project now, in this process; it is registered when it is new')
    .argument('<project>', 'full path (group/project) or numeric id, on GITLAB_URL')
    .option('-b, --branch <name>', "branch; default: the project's default branch")
    .option('--full', 'read, chunk and store everything again')
    .option(
      '--dry-run',
      'only print what a sync would do; nothing is changed, a new project is not registered',
    )
    .option('--max-tokens <n>', 'stop before more estimated tokens than these are embedded', parseTokens)
    .option('--json', 'print the execution row, or the plan, as JSON')
    .action(async (project: string, options: SyncOptions) => {
      const { full = false, json = false, maxTokens: maxEmbeddingTokens = null } = options;
      const target = { project, ...(options.branch === undefined ? {} : { branch: options.branch }) };
      if (options.dryRun) return plan(target, full, json);
      const execution = await withApplication(async (context, signal) => {
        const repository = await findOrRegister(context, target, signal);
        return syncNow(context, repository, { full, maxEmbeddingTokens, signal });
      });
      report(project, execution, json);
    });
}

async function plan(target: SyncTarget, full: boolean, asJson: boolean): Promise<void> {
  const dryRun = await withApplication((context, signal) => dryRunNow(context, target, { full, signal }));
  if (asJson) printJson(dryRun);
  else process.stdout.write(`${target.project}: ${describePlan(dryRun)}\n`);
}

function parseTokens(text: string): number {
  const tokens = Number(text);
  if (!Number.isSafeInteger(tokens) || tokens < 1)
    throw new InvalidArgumentError('expected a whole number from 1.');
  return tokens;
}

function report(project: string, execution: Execution, asJson: boolean): void {
  if (asJson) printJson(present(ExecutionDto, execution));
  else process.stdout.write(`${project}: ${summarize(execution)}\n`);
  if (execution.status !== 'completed') process.exitCode = 1;
}
