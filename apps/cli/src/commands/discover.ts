import { EXIT } from '../failure.js';
import {
  chosenOf,
  describeDiscovery,
  isPlan,
  placeOf,
  type DiscoverOptions,
  type DiscoverRow,
} from '../output/discovery.js';
import { printJson } from '../output/tables.js';
import { answerOf, pause, type Schemas, type Session } from '../service/client.js';
import { allPages } from '../service/repositories.js';
import { type ServiceCommand } from './service-command.js';
import { remoteSession } from './with-service.js';

const POLL_MS = 1_000;
const NONE =
  'There is no active discovery. Add one in the dashboard (Set up), with "repotide apply", or with POST /api/v1/discoveries.';

export function addDiscoverCommand(program: ServiceCommand): void {
  program
    .command('discover')
    .description('find new and missing projects now')
    .argument('[discovery]', 'id or name of a discovery; default: all active ones')
    .option('--dry-run', 'only print what a run would add and retire')
    .option('--force', 'confirm that most of the known projects were removed')
    .json('the runs, or the plans,')
    .action(async (name: string | undefined, options: DiscoverOptions, command: ServiceCommand) => {
      const rows: DiscoverRow[] = [];
      const onResult = (shown: string, row: DiscoverRow): void => {
        rows.push(row);
        if (!isPlan(row) && row.status !== 'completed') process.exitCode = EXIT.failed;
        if (!options.json) process.stdout.write(`${shown}: ${describeDiscovery(row)}\n`);
      };
      const session = await remoteSession(command);
      if (session) await discoverRemotely(session, name, options, onResult);
      else await (await import('../embedded/discover.js')).discoverHere(name, options, onResult);
      if (options.json) printJson(rows);
      else if (rows.length === 0) process.stdout.write(`${NONE}\n`);
    })
    .examples('repotide discover --dry-run', 'repotide discover platform');
}

async function discoverRemotely(
  session: Session,
  name: string | undefined,
  { dryRun = false, force = false }: DiscoverOptions,
  onResult: (name: string, row: DiscoverRow) => void,
): Promise<void> {
  const { client } = session;
  const all = await allPages((query) => answerOf(client.GET('/api/v1/discoveries', { params: { query } })));
  for (const discovery of chosenOf(all, name, (each) => each.is_active)) {
    process.stderr.write(`${discovery.name}: listing ${placeOf(discovery)}\n`);
    const params = { path: { id: discovery.id } };
    const body = { dry_run: dryRun, force };
    const row = await answerOf(client.POST('/api/v1/discoveries/{id}/run', { params, body }));
    onResult(discovery.name, isPlan(row) ? row : await untilEnd(session, row));
  }
}

async function untilEnd(
  { client, signal }: Session,
  started: Schemas['DiscoveryRunDto'],
): Promise<DiscoverRow> {
  let run = started;
  while (run.completed_at === null) {
    await pause(POLL_MS, signal);
    const path = { id: run.discovery_id, run_id: run.id };
    run = await answerOf(client.GET('/api/v1/discoveries/{id}/runs/{run_id}', { params: { path } }));
  }
  return run;
}
