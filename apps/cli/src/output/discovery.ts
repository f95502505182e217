import { CommandFailure, EXIT } from '../failure.js';
import { type Schemas } from '../service/client.js';

export interface DiscoverOptions {
  dryRun?: boolean;
  force?: boolean;
  json?: boolean;
}

/** A run, or the plan of a dry run. */
export type DiscoverRow = Schemas['DiscoveryRunDto'] | Schemas['DiscoveryPreviewDto'];

export function isPlan(row: DiscoverRow): row is Schemas['DiscoveryPreviewDto'] {
  return 'retire' in row;
}

export function placeOf({
  base_url: host,
  group_path: group,
}: Pick<Schemas['DiscoveryDto'], 'base_url' | 'group_path'>): string {
  return group === null ? host : `${host}/${group}`;
}

export function describeDiscovery(row: DiscoverRow): string {
  const listed = `${row.projects_listed} project(s) listed`;
  if (isPlan(row)) {
    const names = row.add.map(({ project_path, branch }) => `\n  add ${project_path} at ${branch}`);
    return `${listed}, ${row.kept} kept, ${row.add.length} to add, ${row.retire.length} missing${names.join('')}`;
  }
  const { status, added, kept, missing, retired, skipped, failed, error_code, error_message } = row;
  const counts = `${added} added, ${kept} kept, ${missing} missing, ${retired} retired, ${skipped} skipped, ${failed} failed`;
  const why = error_code === null ? '' : `\n  ${error_code}: ${error_message ?? ''}`;
  return `${status}: ${listed}, ${counts}${why}`;
}

/**
 * The discoveries that a command means: those with this name or id, or all active ones.
 * @throws CommandFailure `discovery_not_found`.
 */
export function chosenOf<Row extends { id: string; name: string }>(
  all: readonly Row[],
  name: string | undefined,
  isActive: (row: Row) => boolean,
): Row[] {
  if (name === undefined) return all.filter(isActive);
  const named = all.filter((each) => each.id === name || each.name === name);
  if (named.length > 0) return named;
  const known = all.map((each) => each.name).join(', ') || 'none';
  const message = `There is no discovery "${name}"; the service has: ${known}.`;
  throw new CommandFailure(EXIT.failed, 'discovery_not_found', message);
}
