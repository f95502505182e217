import { type Command } from 'commander';
import { type Execution } from '@core/domain';
import { ExecutionDto } from '../../../server/src/index.js';
import { summarize } from '../output/execution-summary.js';
import { findOrRegister, syncNow } from '../sync-project.js';
import { withApplication } from '../with-application.js';

interface SyncOptions {
  branch?: string;
  full?: boolean;
  json?: boolean;
}

export function addSyncCommand(program: Command): void {
  program
    .command('sync')
    .description('sync one GitLab project now, in this process; it is registered when it is new')
    .argument('<project>', 'full path (group/project) or numeric id, on GITLAB_URL')
    .option('-b, --branch <name>', "branch; default: the project's default branch")
    .option('--full', 'read, chunk and store everything again')
    .option('--json', 'print the execution row as JSON')
    .action(async (project: string, options: SyncOptions) => {
      const execution = await withApplication(async (context, signal) => {
        const target = { project, ...(options.branch === undefined ? {} : { branch: options.branch }) };
        const repository = await findOrRegister(context, target, signal);
        return syncNow(context, repository, { full: options.full ?? false, signal });
      });
      report(project, execution, options.json ?? false);
    });
}

function report(project: string, execution: Execution, asJson: boolean): void {
  process.stdout.write(
    asJson
      ? `${JSON.stringify(ExecutionDto.of(execution), null, 2)}\n`
      : `${project}: ${summarize(execution)}\n`,
  );
  if (execution.status !== 'completed') process.exitCode = 1;
}
