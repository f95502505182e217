import { join } from 'node:path';
import { createGitRepository, type GitRepository, listTree, type Random } from '@devkit';

const FILES_AT_START = 12;
const MOST_EDITS = 5;
/** Per file: at most some 8 kB, so that a file has one to a few chunks. */
const LINES = { least: 5, most: 160 };

/** A branch that one Repotide repository tracks. */
export interface Branch {
  project: number;
  name: string;
}

/**
 * A few git repositories with many branches of different contents. Each branch serves as one Repotide repository, which is
 * cheaper than a git repository for each.
 */
export class CodeBase {
  private last: Promise<unknown> = Promise.resolve();
  private pushes = 0;

  private constructor(
    private readonly repositories: readonly GitRepository[],
    readonly branches: readonly Branch[],
    private readonly random: Random,
  ) {}

  static async create(directory: string, branchCount: number, random: Random): Promise<CodeBase> {
    const projectCount = Math.min(4, branchCount);
    const repositories: GitRepository[] = [];
    for (let project = 0; project < projectCount; project++) {
      const repository = await createGitRepository(join(directory, `project-${project}`), { bare: true });
      for (let file = 0; file < FILES_AT_START; file++)
        repository.write(pathOf(file), sourceOf(`project${project}`, file, random));
      await repository.commit('Begin');
      repositories.push(repository);
    }
    const branches = Array.from({ length: branchCount }, (_, number) => ({
      project: number % projectCount,
      name: `line-${number}`,
    }));
    for (const { project, name } of branches) await repositories[project]!.branch(name, 'main');
    return new CodeBase(repositories, branches, random);
  }

  get directories(): string[] {
    return this.repositories.map(({ directory }) => directory);
  }
  get pushCount(): number {
    return this.pushes;
  }

  /** Changes, adds, renames and deletes a few files of a branch. */
  push(branch: Branch): Promise<void> {
    return this.inTurn(async () => {
      const repository = this.repositories[branch.project]!;
      await repository.checkout(branch.name);
      const { random } = this;
      const paths = (await listTree(repository.directory, branch.name)).map(({ path }) => path);
      const edits = 1 + random.below(MOST_EDITS);
      for (let edit = 0; edit < edits; edit++) {
        const number = this.pushes * MOST_EDITS + edit;
        const path = paths.splice(random.below(paths.length), 1)[0];
        const what = random.next();
        if (path === undefined || what < 0.3)
          repository.write(pathOf(FILES_AT_START + number), sourceOf(branch.name, number, random));
        else if (what < 0.75) repository.write(path, sourceOf(branch.name, number, random));
        else if (what < 0.9) repository.rename(path, pathOf(FILES_AT_START + number));
        else if (paths.length > FILES_AT_START / 2) repository.delete(path);
        else repository.write(path, sourceOf(branch.name, number, random));
      }
      await repository.commit(`Change ${edits} files`);
      this.pushes++;
    });
  }

  /** Adds files with texts that occur in no other file. */
  grow(branch: Branch, files: number, lines: number): Promise<void> {
    return this.inTurn(async () => {
      const repository = this.repositories[branch.project]!;
      await repository.checkout(branch.name);
      for (let file = 0; file < files; file++)
        repository.write(`grown/${file}.ts`, textOf(`${branch.name}Grown${file}`, lines));
      await repository.commit(`Add ${files} files`);
      this.pushes++;
    });
  }

  /** Maps the paths of a commit to their blob SHAs, as git lists them. */
  async tree(branch: Branch, revision: string = branch.name): Promise<Map<string, string>> {
    const entries = await listTree(this.repositories[branch.project]!.directory, revision);
    return new Map(entries.map(({ path, sha }) => [path, sha]));
  }

  /** Runs one change at a time, because a git repository has one HEAD. */
  private inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.last.then(work);
    this.last = done.catch(() => undefined);
    return done;
  }
}

function pathOf(file: number): string {
  return `src/part${file % 5}/file${file}.ts`;
}

function sourceOf(name: string, number: number, random: Random): string {
  const lines = LINES.least + random.below(LINES.most - LINES.least);
  return textOf(`${name.replaceAll('-', '')}Value${number}`, lines);
}

function textOf(name: string, lines: number): string {
  return Array.from(
    { length: lines },
    (_, line) => `export const ${name}L${line} = make('${name}', ${line});\n`,
  ).join('');
}
