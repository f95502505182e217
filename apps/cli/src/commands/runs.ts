import { Option, type Command } from 'commander';
import { CommandFailure, EXIT } from '../failure.js';
import { printExecutions, printJson } from '../output/tables.js';
import { summarize } from '../output/summaries.js';
import { watch } from '../output/watch.js';
import { answerOf, type RepotideClient, type Schemas, type Session } from '../service/client.js';
import { findRepository, isId, nameOf } from '../service/repositories.js';
import { report, showUntilEnd } from '../output/run-report.js';
import { examples, instant, wholeNumber, words } from './options.js';
import { withService } from './with-service.js';
import { secondsOf } from './repo.js';

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
  watch?: number;
  json?: boolean;
}

export function addRunsCommand(program: Command): void {
  const runs = program
    .command('runs')
    .description('list runs, newest first')
    .option('-r, --repo <repository>', 'only of this repository: path, path@branch or id')
    .option(
      '-s, --status <status>',
      `only these, separated by commas: ${STATUSES.join(', ')}`,
      words(STATUSES),
    )
    .addOption(new Option('-t, --trigger <trigger>', 'only what started so').choices(TRIGGERS))
    .option('--since <time>', 'only runs queued since, e.g. 2h, 7d or 2026-11-01T00:00:00Z', instant)
    .option('--until <time>', 'only runs queued before', instant)
    .option('-n, --limit <n>', 'how many, 1 to 500', wholeNumber(1, 500), 20)
    .option('-w, --watch [seconds]', 'show it again every 2 seconds, until Ctrl-C', wholeNumber(1, 3600))
    .option('--json', 'print the rows as JSON')
    .action(async (options: RunsOptions, command: Command) => {
      await withService(command, async (session) => {
        const query = await queryOf(session.client, options);
        await watch(secondsOf(options.watch), session.signal, () => show(session, query, options));
      });
    });
  examples(
    runs,
    'repotide runs --repo group/project',
    'repotide runs --status failed,partial --since 24h',
    'repotide runs --status running --watch',
  );
}

async function queryOf(client: RepotideClient, { repo, status, trigger, since, until, limit }: RunsOptions) {
  return {
    limit,
    ...(repo !== undefined && { repository_id: (await findRepository(client, repo)).id }),
    ...(status && { status }),
    ...(trigger && { trigger }),
    ...(since !== undefined && { from: since }),
    ...(until !== undefined && { to: until }),
  };
}

async function show(
  { client }: Session,
  query: Awaited<ReturnType<typeof queryOf>>,
  options: RunsOptions,
): Promise<void> {
  const { items, total } = await answerOf(client.GET('/api/v1/executions', { params: { query } }));
  if (options.json) return printJson(items);
  // With the id that other commands take.
  printExecutions(items, { isProjectShown: true, isIdShown: true, none: noneOf(options) });
  if (total > items.length) process.stdout.write(`  ${items.length} of ${total}; --limit shows more.\n`);
}

function noneOf({ repo, status, trigger, since, until }: RunsOptions): string {
  const isFiltered = [status, trigger, since, until].some((filter) => filter !== undefined);
  if (isFiltered) return 'No run matches; "repotide runs" lists all.';
  return `There are no runs yet. Start one: repotide sync ${repo ?? '<group/project>'}`;
}

export function addLogsCommand(program: Command): void {
  const logs = program
    .command('logs')
    .description('show what a run did, or follow it live; the exit code is 0 only for a completed run')
    .argument('<run>', 'id of a run, as "repotide runs" prints it; or a repository: its newest run')
    .option('-f, --follow', 'show its progress until it ends')
    .option('--timeout <seconds>', 'with --follow: stop to wait after this time', wholeNumber(1, 86_400))
    .option('--json', 'print the row as JSON')
    .action(
      async (
        name: string,
        options: { follow?: boolean; timeout?: number; json?: boolean },
        command: Command,
      ) => {
        await withService(command, async (session) => {
          const run = await findRun(session, name);
          const isFollowed = options.follow && run.completed_at === null;
          const shown = isFollowed
            ? await showUntilEnd(session, run.id, { timeoutSeconds: options.timeout })
            : run;
          // A run that goes on has not failed.
          if (shown.completed_at !== null) report(nameOf(shown), shown, options.json ?? false);
          else if (options.json) printJson(shown);
          else process.stdout.write(`${nameOf(shown)}: ${summarize(shown)}\n`);
          if (!options.json) await printTroubledFiles(session, shown);
        });
      },
    );
  examples(
    logs,
    'repotide logs -f group/project',
    'repotide logs 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11 --json',
  );
}

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

export function addCancelCommand(program: Command): void {
  const cancel = program
    .command('cancel')
    .description('end a queued or running run, on whichever pod it runs')
    .argument('<run>', 'id of a run, as "repotide runs" prints it; or a repository: its newest run')
    .option('--json', 'print the row as JSON')
    .action(async (name: string, options: { json?: boolean }, command: Command) => {
      const run = await withService(command, async (session) => {
        const path = { id: (await findRun(session, name)).id };
        return answerOf(session.client.POST('/api/v1/executions/{id}/cancel', { params: { path } }));
      });
      if (options.json) printJson(run);
      else if (run.status === 'cancelled') process.stdout.write(`The run ${run.id} is cancelled.\n`);
      else process.stdout.write(`The run ${run.id} stops before its next batch.\n`);
    });
  examples(cancel, 'repotide cancel 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11');
}
