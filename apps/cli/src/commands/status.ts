import { type Command } from 'commander';
import { printExecutions, printJson, printTable } from '../output/tables.js';
import { watch } from '../output/watch.js';
import { answerOf, type Schemas, type Session } from '../service/client.js';
import { examples, wholeNumber } from './options.js';
import { withService } from './with-service.js';
import { secondsOf } from './repo.js';

const SHOWN_REPOSITORIES = 50;
const SHOWN_EXECUTIONS = 10;

interface Status {
  repositories: Schemas['RepositoryDto'][];
  total_repositories: number;
  latest_executions: Schemas['ExecutionDto'][];
}

export function addStatusCommand(program: Command): void {
  const status = program
    .command('status')
    .description('show the registered repositories, their last syncs, and the latest runs')
    .option('-w, --watch [seconds]', 'show it again every 2 seconds, until Ctrl-C', wholeNumber(1, 3600))
    .option('--json', 'print it as JSON')
    .action(async (options: { watch?: number; json?: boolean }, command: Command) => {
      await withService(command, (session) =>
        watch(secondsOf(options.watch), session.signal, async () => {
          const found = await readStatus(session);
          if (options.json) printJson(found);
          else printStatus(found);
        }),
      );
    });
  examples(status, 'repotide status', 'repotide status --watch 5');
}

async function readStatus({ client }: Session): Promise<Status> {
  const [repositories, executions] = await Promise.all([
    answerOf(client.GET('/api/v1/repositories', { params: { query: { limit: SHOWN_REPOSITORIES } } })),
    answerOf(client.GET('/api/v1/executions', { params: { query: { limit: SHOWN_EXECUTIONS } } })),
  ]);
  return {
    repositories: repositories.items,
    total_repositories: repositories.total,
    latest_executions: executions.items,
  };
}

function printStatus(status: Status): void {
  const { repositories, total_repositories: total, latest_executions: latest } = status;
  if (total > 0) process.stdout.write(`Repositories: ${total}\n`);
  printTable(
    ['project', 'branch', 'commit', 'last sync'],
    repositories.map((repository) => [
      repository.project_path,
      repository.branch,
      repository.last_synced_commit?.slice(0, 12) ?? '-',
      repository.last_sync_at ?? 'never',
    ]),
    'No repository is registered yet. Register and sync one: repotide sync <group/project>',
  );
  if (total === 0) return;
  process.stdout.write('\nLatest runs:\n');
  printExecutions(latest, { isProjectShown: true });
}
