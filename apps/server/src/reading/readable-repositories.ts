import { Injectable } from '@nestjs/common';
import { RepotideError, type Repository, RepositoryStore, type VisibleRepositories } from '@core/domain';

/** More than any installation has, so that one query is enough. Each further page would need another count. */
const ALL = { limit: 10_000, offset: 0 };
/** How many names an error lists. */
const MAX_SUGGESTED = 5;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The repositories whose contents a caller may read. Search, the tools of agents and the contents of files find their
 * repositories only here, so that what a caller may see is decided in one place.
 */
@Injectable()
export class ReadableRepositories {
  constructor(private readonly repositories: RepositoryStore) {}

  /** Sorted by path, then branch. @param pathPart a part of the project's path. */
  async list(visible: VisibleRepositories, pathPart?: string): Promise<Repository[]> {
    const filter = { visible, ...(pathPart !== undefined && { pathPart }) };
    const { items } = await this.repositories.list(filter, ALL);
    return items.sort(byName);
  }

  /**
   * @param name the id of a repository, the full path of its project, or `<path>@<branch>`.
   * @throws not_found `repository_not_found`; invalid `repository_ambiguous` when several branches are registered.
   */
  async named(name: string, visible: VisibleRepositories): Promise<Repository> {
    const found = await this.allNamed(name, visible);
    if (found.length > 1) throw ambiguous(name, found);
    return found[0]!;
  }

  /** One or more: a project's path names all its branches. @throws not_found `repository_not_found`. */
  async allNamed(name: string, visible: VisibleRepositories): Promise<Repository[]> {
    const found = await this.matching(name, visible);
    if (found.length > 0) return found;
    throw notFound(name, await this.list(visible, name.split('/').at(-1)?.split('@')[0]));
  }

  private async matching(name: string, visible: VisibleRepositories): Promise<Repository[]> {
    if (UUID.test(name)) {
      return (await this.repositories.list({ ids: [name], visible }, ALL)).items;
    }
    const { items } = await this.repositories.list({ projectPath: name, visible }, ALL);
    const at = name.lastIndexOf('@');
    if (items.length > 0 || at < 0) return items;
    const filter = { projectPath: name.slice(0, at), branch: name.slice(at + 1), visible };
    return (await this.repositories.list(filter, ALL)).items;
  }
}

/** The name that people and agents use for a repository; `named` finds the repository by it. */
export function nameOf({ projectPath, branch }: Pick<Repository, 'projectPath' | 'branch'>): string {
  return `${projectPath}@${branch}`;
}

function byName(left: Repository, right: Repository): number {
  return left.projectPath.localeCompare(right.projectPath) || left.branch.localeCompare(right.branch);
}

function notFound(name: string, similar: readonly Repository[]): RepotideError {
  const names = similar.slice(0, MAX_SUGGESTED).map(nameOf);
  const hint = names.length > 0 ? ` Similar ones: ${names.join(', ')}.` : '';
  const message =
    `There is no repository "${name}" that this token can read.${hint} ` +
    'The list of repositories has the names of all that it can read.';
  return new RepotideError('not_found', 'repository_not_found', message);
}

function ambiguous(name: string, found: readonly Repository[]): RepotideError {
  const names = found.slice(0, MAX_SUGGESTED).map(nameOf).join(', ');
  const message = `"${name}" is registered with ${found.length} branches. Use one of: ${names}.`;
  return new RepotideError('invalid', 'repository_ambiguous', message);
}
