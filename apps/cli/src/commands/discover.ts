import { type INestApplicationContext } from '@nestjs/common';
import { type Command } from 'commander';
import { allItems, RepotideError, type Discovery } from '@core/domain';
import {
  DiscoveriesService,
  DiscoveryRunDto,
  DiscoveryRunnerService,
  present,
  DiscoveryPreviewDto,
} from '../../../server/src/index.js';
import { printJson, withApplication } from '../with-application.js';

interface DiscoverOptions {
  dryRun?: boolean;
  force?: boolean;
  json?: boolean;
}

export function addDiscoverCommand(program: Command): void {
  program
    .command('discover')
    .description('find new and missing projects now, in this process')
    .argument('[discovery]', 'id or name of a discovery; default: all active ones')
    .option('--dry-run', 'only print what a run would add and retire')
    .option('--force', 'confirm that most of the known projects were removed')
    .option('--json', 'print the runs, or the plans, as JSON')
    .action(async (name: string | undefined, options: DiscoverOptions) => {
      const rows: (DiscoveryRunDto | DiscoveryPreviewDto)[] = [];
      await withApplication(async (context, signal) => {
        for (const discovery of await findAll(context.get(DiscoveriesService), name)) {
          process.stderr.write(`${discovery.name}: listing ${placeOf(discovery)}\n`);
          const row = await discover(context, discovery, options, signal);
          rows.push(row);
          if (!options.json) process.stdout.write(`${discovery.name}: ${describe(row)}\n`);
        }
      });
      if (options.json) printJson(rows);
    });
}

async function discover(
  context: INestApplicationContext,
  { id }: Discovery,
  { dryRun = false, force = false }: DiscoverOptions,
  signal: AbortSignal,
): Promise<DiscoveryRunDto | DiscoveryPreviewDto> {
  if (dryRun) {
    const preview = await context.get(DiscoveriesService).preview(id, force, signal);
    return present(DiscoveryPreviewDto, preview);
  }
  const runner = context.get(DiscoveryRunnerService, { strict: false });
  const run = await runner.runNow(id, { force, requestedBy: 'cli' }, signal);
  if (run.status !== 'completed') process.exitCode = 1;
  return present(DiscoveryRunDto, run);
}

async function findAll(discoveries: DiscoveriesService, name: string | undefined): Promise<Discovery[]> {
  const found = await allItems((page) => discoveries.list(page));
  if (name === undefined) return found.filter(({ isActive }) => isActive);
  const named = found.filter((discovery) => discovery.id === name || discovery.name === name);
  if (named.length > 0) return named;
  throw new RepotideError(
    'not_found',
    'discovery_not_found',
    `There is no discovery "${name}"; POST /api/v1/discoveries creates one, GET lists them.`,
  );
}

function placeOf({ baseUrl, groupPath }: Discovery): string {
  return groupPath === null ? baseUrl : `${baseUrl}/${groupPath}`;
}

function describe(row: DiscoveryRunDto | DiscoveryPreviewDto): string {
  const listed = `${row.projects_listed} project(s) listed`;
  if ('retire' in row) {
    const names = row.add.map(({ project_path, branch }) => `\n  add ${project_path} at ${branch}`);
    return `${listed}, ${row.kept} kept, ${row.add.length} to add, ${row.retire.length} missing${names.join('')}`;
  }
  const { status, added, kept, missing, retired, skipped, failed, error_code, error_message } = row;
  const counts = `${added} added, ${kept} kept, ${missing} missing, ${retired} retired, ${skipped} skipped, ${failed} failed`;
  const why = error_code === null ? '' : `\n  ${error_code}: ${error_message ?? ''}`;
  return `${status}: ${listed}, ${counts}${why}`;
}
