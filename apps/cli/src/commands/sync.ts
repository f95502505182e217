import { type DryRunReport } from '@core/domain';
import { CommandFailure, EXIT } from '../failure.js';
import { describePlan } from '../output/summaries.js';
import { printJson } from '../output/tables.js';
import { answerOf, type Session } from '../service/client.js';
import { untilEnd } from '../service/follow.js';
import { findRegistered, findRepository, projectField, type Repository } from '../service/repositories.js';
import { report, showUntilEnd } from '../output/run-report.js';
import { wholeNumber } from './options.js';
import { type ServiceCommand } from './service-command.js';
import { remoteSession } from './with-service.js';

interface SyncOptions {
  branch?: string;
  full?: boolean;
  dryRun?: boolean;
  maxTokens?: number;
  wait?: boolean;
  follow?: boolean;
  timeout?: number;
  json?: boolean;
}

export function addSyncCommand(program: ServiceCommand): void {
  program
    .command('sync')
    .description('sync one project now; it is registered when it is new')
    .argument('<project>', 'full path (group/project), numeric id, or id of a registered repository')
    .option('-b, --branch <name>', "branch; default: the project's default branch")
    .option('--full', 'read, chunk and store everything again')
    .option(
      '--dry-run',
      'only print what a sync would do; nothing is changed, a new project is not registered',
    )
    .option('--max-tokens <n>', 'stop before more estimated tokens than these are embedded', wholeNumber(1))
    .option('--wait', 'wait for the end of the run of a running service; the exit code is its outcome')
    .option('-f, --follow', 'the same, and show its progress')
    .option('--timeout <seconds>', 'stop waiting after this time; the run continues', wholeNumber(1, 86_400))
    .json('the execution row, or the plan,')
    .action(async (project: string, options: SyncOptions, command: ServiceCommand) => {
      const session = await remoteSession(command);
      if (session) return syncRemotely(session, project, options);
      const { syncHere } = await import('../embedded/sync.js');
      return syncHere(project, options);
    })
    .examples(
      'repotide sync group/project                 # with a service: starts the run and prints its id',
      'repotide sync group/project --follow        # shows the progress; without a service it always does',
      'repotide sync group/project --dry-run',
    );
}

async function syncRemotely(session: Session, project: string, options: SyncOptions): Promise<void> {
  const { client } = session;
  const repository = await repositoryFor(session, project, options);
  const body = {
    full: options.full ?? false,
    dry_run: options.dryRun ?? false,
    ...(options.maxTokens !== undefined && { max_embedding_tokens: options.maxTokens }),
  };
  const params = { path: { id: repository.id } };
  const started = await answerOf(client.POST('/api/v1/repositories/{id}/sync', { params, body }));
  const id = started.execution_id;
  if (!options.wait && !options.follow && !options.dryRun) return announce(id, session, options.json);
  const wait = options.follow ? showUntilEnd : untilEnd;
  const execution = await wait(session, id, { timeoutSeconds: options.timeout });
  if (!options.dryRun || execution.status !== 'completed')
    return report(project, execution, options.json ?? false);
  const plan = execution.report as DryRunReport;
  if (options.json) printJson(plan);
  else process.stdout.write(`${project}: ${describePlan(plan)}\n`);
}

/** A dry run registers nothing. */
async function repositoryFor(
  { client }: Session,
  project: string,
  options: SyncOptions,
): Promise<Repository> {
  if (options.dryRun) return findRepository(client, project, options.branch);
  if (/^\d+$/.test(project)) throw pathRequired(project);
  const found = await findRegistered(client, project, options.branch);
  if (found) return found;
  const branch = options.branch === undefined ? {} : { branch: options.branch };
  return answerOf(client.POST('/api/v1/repositories', { body: { ...projectField(project), ...branch } }));
}

/** The API finds no repository by the number of its project. */
function pathRequired(project: string): CommandFailure {
  const message = `With a running service, name the project by its path instead of ${project}.`;
  return new CommandFailure(EXIT.usage, 'path_required', message);
}

function announce(id: string, { url }: Session, asJson?: boolean): void {
  if (asJson) return printJson({ execution_id: id });
  process.stdout.write(
    `${url} executes the run ${id}.\n  repotide logs -f ${id}   follows it\n  repotide cancel ${id}    ends it\n`,
  );
}
