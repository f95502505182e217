import { compileGlob, type Discovery, type ListedProject } from '@core/domain';

export interface Selection {
  wantsProject(projectPath: string): boolean;
  /** False when only the default branch of each project is selected. */
  readonly needsBranches: boolean;
  /** @param branches all branches of the project; null when only its default branch is selected. */
  branchesOf(project: ListedProject, branches: readonly string[] | null): string[];
}

type Rules = Pick<Discovery, 'includeProjects' | 'excludeProjects' | 'branches'>;

/** @throws invalid `glob_invalid`, naming the field. */
export function compileSelection({ includeProjects, excludeProjects, branches }: Rules): Selection {
  const includes = includeProjects.map((glob) => compileGlob(glob, 'include_projects'));
  const excludes = excludeProjects.map((glob) => compileGlob(glob, 'exclude_projects'));
  const wanted = branches.map((glob) => compileGlob(glob, 'branches'));
  return {
    wantsProject: (path) =>
      (includes.length === 0 || includes.some((matches) => matches(path))) &&
      !excludes.some((matches) => matches(path)),
    needsBranches: wanted.length > 0,
    branchesOf: ({ defaultBranch }, names) => {
      if (names !== null) return names.filter((name) => wanted.some((matches) => matches(name)));
      return defaultBranch === null ? [] : [defaultBranch];
    },
  };
}
