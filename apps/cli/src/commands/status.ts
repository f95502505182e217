import { type INestApplicationContext } from '@nestjs/common';
import { type Command } from 'commander';
import { type Execution, ExecutionStore, type Repository, RepositoryStore } from '@core/domain';
import { ExecutionDto, present, RepositoryDto } from '../../../server/src/index.js';
import { printExecutions, printTable } from '../output/tables.js';
import { printJson, withApplication } from '../with-application.js';

const SHOWN_REPOSITORIES = 50;
const SHOWN_EXECUTIONS = 10;

interface Status {
  repositories: Repository[];
  totalRepositories: number;
  latestExecutions: Execution[];
}

export function addStatusCommand(program: Command): void {
  program
    .command('status')
    .description('show the registered repositories, their last syncs, and the latest runs')
    .option('--json', 'print it as JSON')
    .action(async (options: { json?: boolean }) => {
      const status = await withApplication(readStatus);
      if (options.json) printJson(toJson(status));
      else printStatus(status);
    });
}

async function readStatus(context: INestApplicationContext): Promise<Status> {
  const page = { limit: SHOWN_REPOSITORIES, offset: 0 };
  const repositories = await context.get(RepositoryStore).list({}, page);
  const executions = await context.get(ExecutionStore).list({}, { limit: SHOWN_EXECUTIONS, offset: 0 });
  return {
    repositories: repositories.items,
    totalRepositories: repositories.total,
    latestExecutions: executions.items,
  };
}

function toJson({ repositories, totalRepositories, latestExecutions }: Status): object {
  return {
    repositories: repositories.map((row) => present(RepositoryDto, row)),
    total_repositories: totalRepositories,
    latest_executions: latestExecutions.map((row) => present(ExecutionDto, row)),
  };
}

function printStatus({ repositories, totalRepositories, latestExecutions }: Status): void {
  if (totalRepositories === 0) {
    process.stdout.write(
      'No repository is registered yet. Register and sync one: repotide sync <group/project>\n',
    );
    return;
  }
  process.stdout.write(`Repositories: ${totalRepositories}\n`);
  const projects = new Map(repositories.map(({ id, projectPath }) => [id, projectPath]));
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
  printExecutions(latestExecutions, projects);
}
