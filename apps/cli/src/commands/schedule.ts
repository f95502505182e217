import { CommandFailure, EXIT, usageFailure } from '../failure.js';
import { confirm } from '../output/confirm.js';
import { shownTime, table } from '../output/tables.js';
import { answerOf, type RepotideClient, type Schemas } from '../service/client.js';
import { allPages, findRepository, isId, nameOf } from '../service/repositories.js';
import { isEmpty, wholeNumber, words } from './options.js';
import { type ServiceCommand } from './service-command.js';

type Schedule = Schemas['ScheduleDto'];

interface Settings {
  cron?: string;
  timezone?: string;
  grace?: number;
  catchUp?: Schemas['CatchUp'][];
  pause?: boolean;
  resume?: boolean;
}

export function addScheduleCommand(program: ServiceCommand): void {
  const schedule = program.command('schedule').description('add, list, change and remove schedules');
  addAdd(schedule);
  addList(schedule);
  addSet(schedule);
  addRemove(schedule);
  addNext(schedule);
}

function addAdd(schedule: ServiceCommand): void {
  const add = schedule
    .command('add')
    .description('sync a repository regularly')
    .repository()
    .argument('<cron>', 'minute, hour, day of month, month, day of week; H spreads, as in "H * * * *"');
  settingsOf(add)
    .answers(
      async ({ client }, name: string, cron: string, options: Settings) => {
        const { id } = await findRepository(client, name);
        const body = { ...changesOf(options), repository_id: id, cron_expression: cron };
        return answerOf(client.POST('/api/v1/schedules', { body }));
      },
      (row) => `Added ${row.id}; ${ticksOf(row)}`,
    )
    .examples(
      'repotide schedule add group/project "*/15 * * * *"',
      'repotide schedule add group/project "0 3 * * *" --timezone Europe/Berlin',
    );
}

function addList(schedule: ServiceCommand): void {
  schedule
    .command('list')
    .alias('ls')
    .description('list schedules with their next ticks')
    .option('-r, --repo <repository>', 'only of this repository: path, path@branch or id')
    .watch()
    .json('the rows')
    .answers(
      ({ client }, { repo }: { repo?: string }) => schedulesOf(client, repo),
      (items, { repo = '<group/project>' }) =>
        table(
          ['repository', 'cron', 'time zone', 'next tick', 'last sync', 'id'],
          items.map((each) => [
            nameOf(each),
            each.cron_expression,
            each.timezone,
            each.is_active ? shownTime(each.next_run_at) : 'paused',
            each.last_sync_at === null ? 'never' : shownTime(each.last_sync_at),
            each.id,
          ]),
          `There is no schedule yet. Add one: repotide schedule add ${repo} "H * * * *"`,
        ),
    )
    .examples('repotide schedule list', 'repotide schedule list --repo group/project --json');
}

function addSet(schedule: ServiceCommand): void {
  const set = schedule
    .command('set')
    .description('change, pause or resume a schedule')
    .argument(...SCHEDULE)
    .option('--cron <cron>', 'minute, hour, day of month, month, day of week')
    .option('--resume', 'resume it after a pause');
  settingsOf(set)
    .answers(
      async ({ client }, name: string, options: Settings) => {
        const body = changesOf(options);
        if (isEmpty(body)) throw usageFailure('nothing_to_change', 'Give at least one setting to change.');
        const { id } = await oneSchedule(client, name);
        return answerOf(client.PATCH('/api/v1/schedules/{id}', { params: { path: { id } }, body }));
      },
      (row) => `Changed ${row.id}; ${ticksOf(row)}`,
    )
    .examples(
      'repotide schedule set group/project --cron "H * * * *"',
      'repotide schedule set group/project --pause',
    );
}

function addRemove(schedule: ServiceCommand): void {
  schedule
    .command('remove')
    .alias('rm')
    .description('delete a schedule; its runs are kept')
    .argument(...SCHEDULE)
    .confirmed()
    .answers(
      async ({ client }, name: string, options: { yes?: boolean }) => {
        const { id, cron_expression: cron } = await oneSchedule(client, name);
        await confirm(`Delete the schedule "${cron}"?`, options.yes);
        await answerOf(client.DELETE('/api/v1/schedules/{id}', { params: { path: { id } } }));
        return id;
      },
      (id) => `Deleted the schedule ${id}.`,
    )
    .examples('repotide schedule remove group/project --yes');
}

function addNext(schedule: ServiceCommand): void {
  schedule
    .command('next')
    .description('show the next five ticks')
    .argument(...SCHEDULE)
    .json('them')
    .answers(
      async ({ client }, name: string) => (await oneSchedule(client, name)).next_ticks,
      (ticks) => ticks.map(shownTime).join('\n') || 'It is paused.',
    )
    .examples('repotide schedule next group/project');
}

const SCHEDULE = ['<schedule>', 'id, or the repository when it has one schedule'] as const;

function settingsOf(command: ServiceCommand): ServiceCommand {
  return command
    .option('--timezone <name>', 'IANA name of the time zone; default: UTC')
    .option('--grace <seconds>', 'a tick found later is recorded as missed', wholeNumber(0, 604_800))
    .option('--catch-up <how>', 'after missed ticks: latest, or none', words(['latest', 'none'] as const))
    .option('--pause', 'pause it until --resume')
    .json();
}

function changesOf({ cron, timezone, grace, catchUp, pause, resume }: Settings) {
  if (pause && resume) throw usageFailure('pause_and_resume', 'Give either --pause or --resume, not both.');
  return {
    cron_expression: cron,
    timezone,
    misfire_grace_seconds: grace,
    catch_up: catchUp?.at(-1),
    is_active: pause || resume ? Boolean(resume) : undefined,
  };
}

async function schedulesOf(client: RepotideClient, repository?: string): Promise<Schedule[]> {
  const repository_id = repository && (await findRepository(client, repository)).id;
  return allPages((page) =>
    answerOf(client.GET('/api/v1/schedules', { params: { query: { ...page, repository_id } } })),
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
  const found = all.length === 0 ? 'no schedule.' : `${all.length} schedules; give an id:`;
  const ids = all.map((each) => `\n  ${each.id}  ${each.cron_expression}`).join('');
  throw new CommandFailure(EXIT.failed, 'schedule_ambiguous', `${name} has ${found}${ids}`);
}

function ticksOf({ is_active: isActive, next_ticks: ticks }: Schedule): string {
  return isActive ? `next ticks: ${ticks.map(shownTime).join(', ')} (UTC)` : 'it is paused.';
}
