import { type Command } from 'commander';
import { CommandFailure, EXIT, usageFailure } from '../failure.js';
import { confirm } from '../output/confirm.js';
import { printJson, printTable, shownTime } from '../output/tables.js';
import { watch } from '../output/watch.js';
import { answerOf, type RepotideClient, type Schemas } from '../service/client.js';
import { allPages, findRepository, isId, nameOf } from '../service/repositories.js';
import { examples, wholeNumber, words } from './options.js';
import { withService } from './with-service.js';
import { secondsOf } from './repo.js';

type Schedule = Schemas['ScheduleDto'];

interface Settings {
  cron?: string;
  timezone?: string;
  grace?: number;
  catchUp?: Schemas['CatchUp'][];
  pause?: boolean;
  resume?: boolean;
  json?: boolean;
}

export function addScheduleCommand(program: Command): void {
  const schedule = program.command('schedule').description('add, list, change and remove schedules');
  addAdd(schedule);
  addList(schedule);
  addSet(schedule);
  addRemove(schedule);
  addNext(schedule);
}

function addAdd(schedule: Command): void {
  const add = schedule
    .command('add')
    .description('sync a repository regularly')
    .argument('<repository>', 'path, path@branch or id')
    .argument('<cron>', 'minute, hour, day of month, month, day of week; H spreads, as in "H * * * *"');
  settingsOf(add).action(async (name: string, cron: string, options: Settings, command: Command) => {
    const row = await withService(command, async ({ client }) => {
      const { id } = await findRepository(client, name);
      const body = { ...changesOf(options), repository_id: id, cron_expression: cron };
      return answerOf(client.POST('/api/v1/schedules', { body }));
    });
    if (options.json) printJson(row);
    else process.stdout.write(`Added ${row.id}; ${ticksOf(row)}\n`);
  });
  examples(
    add,
    'repotide schedule add group/project "*/15 * * * *"',
    'repotide schedule add group/project "0 3 * * *" --timezone Europe/Berlin',
  );
}

function addList(schedule: Command): void {
  const list = schedule
    .command('list')
    .alias('ls')
    .description('list schedules with their next ticks')
    .option('-r, --repo <repository>', 'only of this repository: path, path@branch or id')
    .option('-w, --watch [seconds]', 'show it again every 2 seconds, until Ctrl-C', wholeNumber(1, 3600))
    .option('--json', 'print the rows as JSON')
    .action(async (options: { repo?: string; watch?: number; json?: boolean }, command: Command) => {
      await withService(command, ({ client, signal }) =>
        watch(secondsOf(options.watch), signal, async () => {
          const items = await schedulesOf(client, options.repo);
          if (options.json) printJson(items);
          else printSchedules(items, options.repo);
        }),
      );
    });
  examples(list, 'repotide schedule list', 'repotide schedule list --repo group/project --json');
}

function addSet(schedule: Command): void {
  const set = schedule
    .command('set')
    .description('change, pause or resume a schedule')
    .argument('<schedule>', 'id, or the repository when it has one schedule')
    .option('--cron <cron>', 'minute, hour, day of month, month, day of week')
    .option('--resume', 'run it again after a pause');
  settingsOf(set).action(async (name: string, options: Settings, command: Command) => {
    const body = changesOf(options);
    if (options.cron === undefined && Object.keys(body).length === 0)
      throw usageFailure('nothing_to_change', 'Give at least one setting to change.');
    const row = await withService(command, async ({ client }) => {
      const { id } = await oneSchedule(client, name);
      const changes = { ...body, ...(options.cron !== undefined && { cron_expression: options.cron }) };
      return answerOf(client.PATCH('/api/v1/schedules/{id}', { params: { path: { id } }, body: changes }));
    });
    if (options.json) printJson(row);
    else process.stdout.write(`Changed ${row.id}; ${ticksOf(row)}\n`);
  });
  examples(
    set,
    'repotide schedule set group/project --cron "H * * * *"',
    'repotide schedule set group/project --pause',
  );
}

function addRemove(schedule: Command): void {
  const remove = schedule
    .command('remove')
    .alias('rm')
    .description('delete a schedule; its runs are kept')
    .argument('<schedule>', 'id, or the repository when it has one schedule')
    .option('-y, --yes', 'do not ask')
    .action(async (name: string, options: { yes?: boolean }, command: Command) => {
      await withService(command, async ({ client }) => {
        const { id, cron_expression: cron } = await oneSchedule(client, name);
        await confirm(`Delete the schedule "${cron}"?`, options.yes);
        await answerOf(client.DELETE('/api/v1/schedules/{id}', { params: { path: { id } } }));
        process.stdout.write(`Deleted the schedule ${id}.\n`);
      });
    });
  examples(remove, 'repotide schedule remove group/project --yes');
}

function addNext(schedule: Command): void {
  const next = schedule
    .command('next')
    .description('show the next five ticks')
    .argument('<schedule>', 'id, or the repository when it has one schedule')
    .option('--json', 'print them as JSON')
    .action(async (name: string, options: { json?: boolean }, command: Command) => {
      const { next_ticks: ticks } = await withService(command, ({ client }) => oneSchedule(client, name));
      if (options.json) printJson(ticks);
      else
        process.stdout.write(ticks.length === 0 ? 'It is paused.\n' : `${ticks.map(shownTime).join('\n')}\n`);
    });
  examples(next, 'repotide schedule next group/project');
}

function settingsOf(command: Command): Command {
  return command
    .option('--timezone <name>', 'IANA name of the time zone; default: UTC')
    .option(
      '--grace <seconds>',
      'a tick found later than this is recorded as missed',
      wholeNumber(0, 604_800),
    )
    .option('--catch-up <how>', 'after missed ticks: latest, or none', words(['latest', 'none'] as const))
    .option('--pause', 'it does not run until it is resumed')
    .option('--json', 'print the row as JSON');
}

function changesOf(options: Settings): Omit<Schemas['UpdateScheduleDto'], 'cron_expression'> {
  const { timezone, grace, catchUp, pause, resume } = options;
  if (pause && resume) throw usageFailure('pause_and_resume', 'Give either --pause or --resume, not both.');
  const how = catchUp?.at(-1);
  return {
    ...(timezone !== undefined && { timezone }),
    ...(grace !== undefined && { misfire_grace_seconds: grace }),
    ...(how !== undefined && { catch_up: how }),
    ...((pause || resume) && { is_active: Boolean(resume) }),
  };
}

async function schedulesOf(client: RepotideClient, repository?: string): Promise<Schedule[]> {
  const filter =
    repository === undefined ? {} : { repository_id: (await findRepository(client, repository)).id };
  return allPages((page) =>
    answerOf(client.GET('/api/v1/schedules', { params: { query: { ...page, ...filter } } })),
  );
}

/** @throws CommandFailure when the name is neither an id nor that of a repository with one schedule. */
async function oneSchedule(client: RepotideClient, name: string): Promise<Schedule> {
  if (isId(name)) {
    const found = await client.GET('/api/v1/schedules/{id}', { params: { path: { id: name } } });
    if (found.data) return found.data;
  }
  const all = await schedulesOf(client, name);
  if (all.length === 1 && all[0]) return all[0];
  const found = all.length === 0 ? 'no schedule' : `${all.length} schedules`;
  const ids = all.map((each) => `\n  ${each.id}  ${each.cron_expression}`).join('');
  throw new CommandFailure(
    EXIT.failed,
    'schedule_ambiguous',
    `${name} has ${found}${ids ? `; give an id:${ids}` : '.'}`,
  );
}

function printSchedules(items: readonly Schedule[], repository = '<group/project>'): void {
  printTable(
    ['repository', 'cron', 'time zone', 'next tick', 'last sync', 'id'],
    items.map((each) => [
      nameOf(each),
      each.cron_expression,
      each.timezone,
      each.is_active ? shownTime(each.next_run_at) : 'paused',
      each.last_sync_at === null ? 'never' : shownTime(each.last_sync_at),
      each.id,
    ]),
    `There is no schedule yet. Add one: repotide schedule add ${repository} "H * * * *"`,
  );
}

function ticksOf({ is_active: isActive, next_ticks: ticks }: Schedule): string {
  return isActive ? `next ticks: ${ticks.map(shownTime).join(', ')} (UTC)` : 'it is paused.';
}
