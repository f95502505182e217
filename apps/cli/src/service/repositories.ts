import { CommandFailure, EXIT } from '../failure.js';
import { answerOf, type RepotideClient, type Schemas } from './client.js';
import { nearNames } from './near-names.js';

export type Repository = Schemas['RepositoryDto'];

/** Postgres answers a page of this size at once. */
const PAGE_SIZE = 500;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isId(name: string): boolean {
  return UUID.test(name);
}

/**
 * The repository with this id, path (`group/project`) or path and branch (`group/project@main`).
 * @throws CommandFailure `repository_not_found`, `branch_required` when several branches are registered.
 */
export async function findRepository(
  client: RepotideClient,
  name: string,
  branch?: string,
): Promise<Repository> {
  const found = await findRegistered(client, name, branch);
  if (found) return found;
  const alike = await suggestionsFor(client, name);
  const hint =
    alike.length === 0 ? '"repotide repo list" lists them.' : `Did you mean ${alike.join(' or ')}?`;
  throw new CommandFailure(
    EXIT.failed,
    'repository_not_found',
    `No repository "${name}" is registered. ${hint}`,
  );
}

/** The same, or null when there is none. */
export async function findRegistered(
  client: RepotideClient,
  name: string,
  branch?: string,
): Promise<Repository | null> {
  if (isId(name))
    return answerOf(client.GET('/api/v1/repositories/{id}', { params: { path: { id: name } } }));
  const [path = name, ownBranch] = splitName(name);
  const wanted = branch ?? ownBranch;
  const query = { project_path: path, limit: 10, ...(wanted !== undefined && { branch: wanted }) };
  const { items, total } = await answerOf(client.GET('/api/v1/repositories', { params: { query } }));
  if (total <= 1) return items[0] ?? null;
  const names = items.map(nameOf).join(', ');
  const message = `${path} is registered more than once: ${names}. Name one of them, or an id.`;
  throw new CommandFailure(EXIT.failed, 'branch_required', message);
}

/** `group/project@main` -> path and branch; a URL has no branch in its name. */
function splitName(name: string): string[] {
  const at = name.includes('://') ? -1 : name.indexOf('@');
  return at < 0 ? [name] : [name.slice(0, at), name.slice(at + 1)];
}

async function suggestionsFor(client: RepotideClient, name: string): Promise<string[]> {
  const paths = (await allRepositories(client)).map((each) => each.project_path);
  return nearNames(splitName(name)[0] ?? name, paths);
}

/** All repositories, page by page. */
export async function allRepositories(client: RepotideClient): Promise<Repository[]> {
  return allPages((page) => answerOf(client.GET('/api/v1/repositories', { params: { query: page } })));
}

/** Collects all pages of a list. */
export async function allPages<Item>(
  list: (page: { limit: number; offset: number }) => Promise<{ items: Item[]; total: number }>,
): Promise<Item[]> {
  const found: Item[] = [];
  for (;;) {
    const { items, total } = await list({ limit: PAGE_SIZE, offset: found.length });
    found.push(...items);
    if (items.length === 0 || found.length >= total) return found;
  }
}

/** A repository as the arguments of commands name it. */
export function nameOf({ project_path, branch }: { project_path: string; branch: string }): string {
  return `${project_path}@${branch}`;
}

/** What the API calls the project of a command line: a number, a path, or the URL of any git host. */
export function projectField(
  project: string,
): Pick<Schemas['CreateRepositoryDto'], 'project_id' | 'project_path' | 'git_url'> {
  if (/^\d+$/.test(project)) return { project_id: Number(project) };
  return project.includes('://') ? { git_url: project } : { project_path: project };
}

/** @returns the id of the credential with this name or id; null for `none`: the token of the service. */
export async function findCredential(client: RepotideClient, name: string): Promise<string | null> {
  if (name === 'none') return null;
  const all = await allPages((query) => answerOf(client.GET('/api/v1/credentials', { params: { query } })));
  const found = all.filter((each) => each.id === name || each.name === name);
  if (found.length === 1 && found[0]) return found[0].id;
  const known = all.map((each) => each.name).join(', ') || 'none';
  const message =
    found.length === 0
      ? `There is no credential "${name}"; the service has: ${known}.`
      : `${found.length} credentials are named "${name}"; give the id.`;
  throw new CommandFailure(EXIT.failed, 'credential_not_found', message);
}
