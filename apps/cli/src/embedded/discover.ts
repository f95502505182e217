import { type INestApplicationContext } from '@nestjs/common';
import { allItems, type Discovery } from '@core/domain';
import {
  DiscoveriesService,
  DiscoveryRunDto,
  DiscoveryRunnerService,
  present,
  DiscoveryPreviewDto,
} from '../../../server/src/index.js';
import { chosenOf, placeOf, type DiscoverOptions, type DiscoverRow } from '../output/discovery.js';
import { withApplication } from './with-application.js';

/** Runs discoveries in this process, and hands each result on when it is there. */
export function discoverHere(
  name: string | undefined,
  options: DiscoverOptions,
  onResult: (name: string, row: DiscoverRow) => void,
): Promise<void> {
  return withApplication(async (context, signal) => {
    const all = await allItems((page) => context.get(DiscoveriesService).list(page));
    for (const discovery of chosenOf(all, name, ({ isActive }) => isActive)) {
      const { baseUrl: base_url, groupPath: group_path } = discovery;
      process.stderr.write(`${discovery.name}: listing ${placeOf({ base_url, group_path })}\n`);
      const row = await discover(context, discovery, options, signal);
      onResult(discovery.name, JSON.parse(JSON.stringify(row)) as DiscoverRow);
    }
  });
}

async function discover(
  context: INestApplicationContext,
  { id }: Discovery,
  { dryRun = false, force = false }: DiscoverOptions,
  signal: AbortSignal,
): Promise<object> {
  if (dryRun) {
    const preview = await context.get(DiscoveriesService).preview(id, force, signal);
    return present(DiscoveryPreviewDto, preview);
  }
  const runner = context.get(DiscoveryRunnerService, { strict: false });
  return present(DiscoveryRunDto, await runner.runNow(id, { force, requestedBy: 'cli' }, signal));
}
