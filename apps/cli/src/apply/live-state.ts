import { usageFailure } from '../failure.js';
import { answerOf, type RepotideClient, type Schemas } from '../service/client.js';
import { allPages, allRepositories } from '../service/repositories.js';
import { type Kind, type Wanted } from './wanted.js';

/** What the service has, read once before anything is planned. */
export interface LiveState {
  credentials: Schemas['CredentialDto'][];
  repositories: Schemas['RepositoryDto'][];
  schedules: Schemas['ScheduleDto'][];
  discoveries: Schemas['DiscoveryDto'][];
  /** What this declaration recorded last time. */
  former: Schemas['DeclaredResourceDto'][];
}

export async function readLiveState(client: RepotideClient, declaration: string): Promise<LiveState> {
  const [credentials, repositories, schedules, discoveries, former] = await Promise.all([
    allPages((query) => answerOf(client.GET('/api/v1/credentials', { params: { query } }))),
    allRepositories(client),
    allPages((query) => answerOf(client.GET('/api/v1/schedules', { params: { query } }))),
    allPages((query) => answerOf(client.GET('/api/v1/discoveries', { params: { query } }))),
    allPages((page) =>
      answerOf(client.GET('/api/v1/declarations', { params: { query: { ...page, declaration } } })),
    ),
  ]);
  return { credentials, repositories, schedules, discoveries, former };
}

export type LiveRow = { id: string } & Readonly<Record<string, unknown>>;

export function rowsOf(live: LiveState, kind: Kind): readonly LiveRow[] {
  const rows = {
    credential: live.credentials,
    repository: live.repositories,
    schedule: live.schedules,
    discovery: live.discoveries,
  };
  return rows[kind];
}

/**
 * The row that a declared resource stands for: the one that it was applied to, or an equal one that nobody declared.
 * @param parentId of the repository of a schedule.
 * @throws CommandFailure when several rows could be meant.
 */
export function findRow(wanted: Wanted, live: LiveState, parentId: string | null): LiveRow | null {
  const { kind, key, place } = wanted;
  const rows = rowsOf(live, kind);
  const former = live.former.find((each) => each.kind === kind && each.key === key);
  const known = rows.find(({ id }) => id === former?.resource_id);
  if (known) return known;
  const claimed = new Set(live.former.filter((each) => each.kind === kind).map((each) => each.resource_id));
  const alike = rows.filter((row) => !claimed.has(row.id) && isAlike(wanted, row, parentId));
  if (alike.length <= 1 || kind === 'schedule') return alike[0] ?? null;
  const branches = alike
    .map((row) => (typeof row['branch'] === 'string' ? row['branch'] : row.id))
    .join(', ');
  throw usageFailure(
    'declaration_ambiguous',
    `${place}: ${kind} ${key} may be any of ${branches}; say which one.`,
  );
}

function isAlike({ kind, fields }: Wanted, row: LiveRow, parentId: string | null): boolean {
  const isSame = (name: string): boolean =>
    fields[name] === undefined || sameAddress(fields[name], row[name]);
  if (kind === 'schedule')
    return row['repository_id'] === parentId && isSame('cron_expression') && isSame('timezone');
  if (kind !== 'repository') return row['name'] === fields['name'] && isSame('base_url');
  const project = fields['project_path'] ?? fields['git_url'];
  return sameAddress(project, row['project_path']) && isSame('branch') && isSame('base_url');
}

/** Hosts write a path in any case, and the URL of a repository with or without `.git`. */
function sameAddress(one: unknown, other: unknown): boolean {
  const normal = (value: unknown): string =>
    String(value)
      .toLowerCase()
      .replace(/\/+$/, '')
      .replace(/\.git$/, '');
  return normal(one) === normal(other);
}
