import { type INestApplicationContext } from '@nestjs/common';
import { type Command } from 'commander';
import { type Execution, type ExecutionStore, type Repository, type RepositoryStore } from '@core/domain';
import { tokens } from '../../../server/src/index.js';
import { printExecutions, printTable } from '../output/tables.js';
import { withApplication } from '../with-application.js';

const SHOWN_REPOSITORIES = 50;
const SHOWN_EXECUTIONS = 10;

interface Status {
  repositories: Repository[];
  total_repositories: number;
  latest_executions: Execution[];
}

export function addStatusCommand(program: Command): void {
  program
    .command('status')
    .description('what is registered, how fresh it is, and the latest runs')
    .option('--json', 'print it as JSON')
    .action(async (options: { json?: boolean }) => {
      const status = await withApplication(readStatus);
      if (options.json) process.stdout.write(`${JSON.stringify(status, null, 2)}\n`);
      else printStatus(status);
    });
}

async function readStatus(context: INestApplicationContext): Promise<Status> {
  const page = { limit: SHOWN_REPOSITORIES, offset: 0 };
  const repositories = await context.get<RepositoryStore>(tokens.REPOSITORY_STORE).list({}, page);
  const executions = await context
    .get<ExecutionStore>(tokens.EXECUTION_STORE)
    .list({}, { limit: SHOWN_EXECUTIONS, offset: 0 });
  return {
    repositories: repositories.items,
    total_repositories: repositories.total,
    latest_executions: executions.items,
  };
}

function printStatus({ repositories, total_repositories, latest_executions }: Status): void {
  process.stdout.write(`Repositories: ${total_repositories}\n`);
  printTable(
    ['project', 'branch', 'commit', 'last sync'],
    repositories.map((repository) => [
      repository.projectPath,
      repository.branch,
      repository.lastSyncedCommit?.slice(0, 12) ?? '-',
      repository.lastSyncAt?.toISOString() ?? 'never',
    ]),
  );
  process.stdout.write('\nLatest runs:\n');
  printExecutions(latest_executions);
}
