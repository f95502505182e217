import { Option } from 'commander';
import { CommandFailure, EXIT } from '../failure.js';
import { leftOut, printJson, tableOfExecutions } from '../output/tables.js';
import { summarize } from '../output/summaries.js';
import { answerOf, type Schemas, type Session } from '../service/client.js';
import { findRepository, isId, nameOf } from '../service/repositories.js';
import { report, showUntilEnd } from '../output/run-report.js';
import { instant, wholeNumber, words } from './options.js';
import { type ServiceCommand } from './service-command.js';
import { withService } from './with-service.js';

type Execution = Schemas['ExecutionDto'];
type Status = Schemas['ExecutionStatus'];
type Trigger = Schemas['ExecutionTrigger'];

const STATUSES = [
  'queued',
  'running',
  'completed',
  'partial',
  'failed',
  'cancelled',
  'missed',
  'skipped',
] as const satisfies readonly Status[];
const TRIGGERS = ['cron', 'manual', 'webhook', 'recovery'] as const satisfies readonly Trigger[];

interface RunsOptions {
  repo?: string;
  status?: Status[];
  trigger?: Trigger;
  since?: string;
  until?: string;
  limit: number;
}

export function addRunsCommand(program: ServiceCommand): void {
  program
    .command('runs')
    .description('list runs, newest first')
    .option('-r, --repo <repository>', 'only of this repository: path, path@branch or id')
    .option(
      '-s, --status <status>',
      `only these, separated by commas: ${STATUSES.join(', ')}`,
      words(STATUSES),
    )
    .addOption(new Option('-t, --trigger <trigger>', 'only runs with this trigger').choices(TRIGGERS))
    .option('--since <time>', 'only runs queued since then, e.g. 2h, 7d or 2026-11-01T00:00:00Z', instant)
    .option('--until <time>', 'only runs queued before then', instant)
    .limit(20)
    .watch()
    .json('the rows')
    .answers(
      async ({ client }, { repo, since, until, status, trigger, limit }: RunsOptions) => {
        const repository_id = repo && (await findRepository(client, repo)).id;
        const query = { limit, repository_id, status, trigger, from: since, to: until };
        return answerOf(client.GET('/api/v1/executions', { params: { query } }));
      },
      // With the id that other commands take.
      ({ items, total }, options) =>
        tableOfExecutions(items, { isProjectShown: true, isIdShown: true, none: noneOf(options) }) +
        leftOut(items, total),
      ({ items }) => items,
    )
    .examples(
      'repotide runs --repo group/project',
      'repotide runs --status failed,partial --since 24h',
      'repotide runs --status running --watch',
    );
}

function noneOf({ repo, status, trigger, since, until }: RunsOptions): string {
  const isFiltered = [status, trigger, since, until].some((filter) => filter !== undefined);
  if (isFiltered) return 'No run matches; "repotide runs" lists all.';
  return `There are no runs yet. Start one: repotide sync ${repo ?? '<group/project>'}`;
}

interface LogsOptions {
  follow?: boolean;
  timeout?: number;
  json?: boolean;
}

export function addLogsCommand(program: ServiceCommand): void {
  program
    .command('logs')
    .description('show what a run did, or follow it live; the exit code is 0 only for a completed run')
    .argument(...RUN)
    .option('-f, --follow', 'show its progress until it ends')
    .option('--timeout <seconds>', 'with --follow: stop waiting after this time', wholeNumber(1, 86_400))
    .json()
    .action(async (name: string, { follow, timeout, json = false }: LogsOptions, command: ServiceCommand) => {
      await withService(command, async (session) => {
        const run = await findRun(session, name);
        const isFollowed = follow && run.completed_at === null;
        const shown = isFollowed ? await showUntilEnd(session, run.id, { timeoutSeconds: timeout }) : run;
        // A run in progress has not failed.
        if (shown.completed_at !== null) report(nameOf(shown), shown, json);
        else if (json) printJson(shown);
        else process.stdout.write(`${nameOf(shown)}: ${summarize(shown)}\n`);
        if (!json) await printTroubledFiles(session, shown);
      });
    })
    .examples('repotide logs -f group/project', 'repotide logs 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11 --json');
}

const RUN = ['<run>', 'id of a run, as "repotide runs" prints it; or a repository: its newest run'] as const;

async function findRun(session: Session, name: string): Promise<Execution> {
  const { client } = session;
  if (isId(name)) {
    const params = { path: { id: name } };
    const { data: run } = await client.GET('/api/v1/executions/{id}', { params });
    if (run) return run;
    const { response } = await client.GET('/api/v1/repositories/{id}', { params });
    if (response.status === 404) throw noRun(`There is no run and no repository ${name}.`);
  }
  const repository = await findRepository(client, name);
  const query = { repository_id: repository.id, limit: 1 };
  const { items } = await answerOf(client.GET('/api/v1/executions', { params: { query } }));
  if (items[0]) return items[0];
  throw noRun(`${nameOf(repository)} has no runs yet; "repotide sync" starts one.`);
}

function noRun(what: string): CommandFailure {
  return new CommandFailure(EXIT.failed, 'execution_not_found', `${what} "repotide runs" lists the runs.`);
}

const SHOWN_FILES = 20;

async function printTroubledFiles({ client }: Session, { id }: Execution): Promise<void> {
  const params = { path: { id }, query: { status: 'failed' as const, limit: SHOWN_FILES } };
  const { data } = await client.GET('/api/v1/executions/{id}/files', { params });
  for (const file of data?.items ?? [])
    process.stdout.write(`  failed  ${file.path}: ${file.message ?? file.error_code}\n`);
}

export function addCancelCommand(program: ServiceCommand): void {
  program
    .command('cancel')
    .description('end a queued or running run, on whichever pod it runs')
    .argument(...RUN)
    .json()
    .answers(
      async (session, name: string) => {
        const path = { id: (await findRun(session, name)).id };
        return answerOf(session.client.POST('/api/v1/executions/{id}/cancel', { params: { path } }));
      },
      ({ id, status }) =>
        status === 'cancelled' ? `The run ${id} is cancelled.` : `The run ${id} stops before its next batch.`,
    )
    .examples('repotide cancel 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11');
}
