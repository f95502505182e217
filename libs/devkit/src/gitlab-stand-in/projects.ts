import { GitReader } from '../git/git-reader.js';
import { type Caller } from './access.js';

/** The rights of a token in a project: a guest of a private project sees it, but not its code. */
export type ProjectRole = 'guest' | 'reporter';

type Visibility = 'private' | 'internal' | 'public';

export interface AddProjectOptions {
  /** Full path, e.g. `group/sub/project`. */
  path: string;
  /** Any directory inside a local repository, bare or not. */
  gitDir: string;
  /** Default: the next free number. */
  id?: number;
  /** Default: the branch that HEAD names, else the first one. */
  defaultBranch?: string;
  /** Default: private. A public project needs no token. */
  visibility?: Visibility;
  /** Groups that the project is shared with, by full path. */
  sharedWith?: readonly string[];
  /** Roles by token name. Default: every valid token is a reporter. */
  roles?: Readonly<Record<string, ProjectRole>>;
}

/** A served project; tests may change its writable properties at any time. */
export interface StandInProject {
  readonly id: number;
  readonly path: string;
  readonly createdAt: Date;
  defaultBranch: string | null;
  visibility: Visibility;
  /** Who may read the code, among those who may see the project. */
  repositoryAccessLevel: 'enabled' | 'private' | 'disabled';
  /** Access levels of people by their number, also those that come from groups. */
  members: Readonly<Record<number, number>>;
  roles: Readonly<Record<string, ProjectRole>> | null;
  archived: boolean;
  /** Delayed deletion: the project is still shown, with this date. */
  markedForDeletionOn: string | null;
  /** Pending deletion: the project answers 404 like a missing one. */
  hidden: boolean;
}

export interface ServedProject extends StandInProject {
  path: string;
  readonly sharedWith: readonly string[];
  readonly reader: GitReader;
}

/** The projects of a stand-in, found by number, path, or former path. */
export class ProjectRegistry {
  private readonly byId = new Map<number, ServedProject>();
  private readonly formerPaths = new Map<string, number>();
  private readonly groups = new Map<string, { id: number; isPublic: boolean }>();
  /** One per repository, by its directory: each reader runs git processes. */
  private readonly readers = new Map<string, GitReader>();

  async add(options: AddProjectOptions): Promise<ServedProject> {
    const id = options.id ?? Math.max(0, ...this.byId.keys()) + 1;
    if (this.byId.has(id)) throw new Error(`A project with the id ${id} is served already.`);
    const project: ServedProject = {
      id,
      path: options.path,
      createdAt: new Date(),
      defaultBranch: options.defaultBranch ?? null,
      visibility: options.visibility ?? 'private',
      repositoryAccessLevel: 'enabled',
      members: {},
      roles: options.roles ?? null,
      sharedWith: options.sharedWith ?? [],
      archived: false,
      markedForDeletionOn: null,
      hidden: false,
      reader: await this.readerOf(options.gitDir),
    };
    this.byId.set(id, project);
    return project;
  }

  /** @throws when there is none. */
  byNumber(id: number): ServedProject {
    const project = this.byId.get(id);
    if (project === undefined) throw new Error(`No project with the id ${id} is served.`);
    return project;
  }

  /** The old path redirects to the project from then on. */
  move(id: number, path: string): void {
    const project = this.byNumber(id);
    this.formerPaths.set(project.path, id);
    this.formerPaths.delete(path);
    project.path = path;
  }

  all(): ServedProject[] {
    return [...this.byId.values()];
  }

  /** Adds a group without projects; groups in the paths of projects exist automatically. */
  addGroup(path: string): void {
    this.groups.set(path, { id: this.groups.size + 1, isPublic: true });
  }

  groupOf(idOrPath: string): { path: string; isPublic: boolean } | null {
    const own = [...this.groups].find(([path, { id }]) => path === idOrPath || `${id}` === idOrPath);
    if (own !== undefined) return { path: own[0], isPublic: own[1].isPublic };
    const isAbove = this.all().some(({ path }) => path.startsWith(`${idOrPath}/`));
    return isAbove ? { path: idOrPath, isPublic: false } : null;
  }

  find(idOrPath: string): { project: ServedProject; isFormerPath: boolean } | null {
    const byNumber = /^\d+$/.test(idOrPath) ? this.byId.get(Number(idOrPath)) : undefined;
    const current = byNumber ?? [...this.byId.values()].find(({ path }) => path === idOrPath);
    if (current !== undefined) return { project: current, isFormerPath: false };
    const moved = this.byId.get(this.formerPaths.get(idOrPath) ?? -1);
    return moved === undefined ? null : { project: moved, isFormerPath: true };
  }

  async close(): Promise<void> {
    await Promise.all([...this.readers.values()].map((reader) => reader.close()));
  }

  private async readerOf(gitDir: string): Promise<GitReader> {
    const reader = this.readers.get(gitDir) ?? (await GitReader.open(gitDir));
    this.readers.set(gitDir, reader);
    return reader;
  }
}

/** The rights of a caller in a project. */
export function accessTo(project: StandInProject, caller: Caller): 'none' | 'project' | 'code' {
  if (project.hidden) return 'none';
  if (project.visibility === 'public') return 'code';
  if (caller.name === null) return 'none';
  if (project.visibility === 'internal') return 'code';
  if (project.roles === null) return 'code';
  const role = project.roles[caller.name];
  if (role === undefined) return 'none';
  return role === 'guest' ? 'project' : 'code';
}

/** The default branch as GitLab chooses it, null while there is no branch. */
export async function headOfProject(
  project: ServedProject,
): Promise<{ name: string; commit: string } | null> {
  const { reader, defaultBranch } = project;
  for (const name of [defaultBranch, await reader.headBranch()]) {
    const commit = name === null ? null : await reader.branchCommit(name);
    if (name !== null && commit !== null) return { name, commit };
  }
  const [first = null] = await reader.branches();
  return first;
}
