import { table, tableOfExecutions } from '../output/tables.js';
import { answerOf, type Schemas, type Session } from '../service/client.js';
import { type ServiceCommand } from './service-command.js';

const SHOWN_REPOSITORIES = 50;
const SHOWN_EXECUTIONS = 10;

interface Status {
  repositories: Schemas['RepositoryDto'][];
  total_repositories: number;
  latest_executions: Schemas['ExecutionDto'][];
}

export function addStatusCommand(program: ServiceCommand): void {
  program
    .command('status')
    .description('show the registered repositories, their last syncs, and the latest runs')
    .watch()
    .json('it')
    .answers(readStatus, textOf)
    .examples('repotide status', 'repotide status --watch 5');
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

function textOf({ repositories, total_repositories: total, latest_executions: latest }: Status): string {
  const listed = table(
    ['project', 'branch', 'commit', 'last sync'],
    repositories.map((repository) => [
      repository.project_path,
      repository.branch,
      repository.last_synced_commit?.slice(0, 12) ?? '-',
      repository.last_sync_at ?? 'never',
    ]),
    'No repository is registered yet. Register and sync one: repotide sync <group/project>',
  );
  if (total === 0) return listed;
  const runs = tableOfExecutions(latest, { isProjectShown: true });
  return `Repositories: ${total}\n${listed}\n\nLatest runs:\n${runs}`;
}
