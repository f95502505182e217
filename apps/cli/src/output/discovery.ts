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
