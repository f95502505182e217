import picomatch from 'picomatch';
import { type Discovery, type ListedProject, RepotideError } from '@core/domain';

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
  const includes = includeProjects.map((glob) => compile(glob, 'include_projects'));
  const excludes = excludeProjects.map((glob) => compile(glob, 'exclude_projects'));
  const wanted = branches.map((glob) => compile(glob, 'branches'));
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

function compile(glob: string, field: string): (text: string) => boolean {
  try {
    // `debug`: without it picomatch turns an invalid glob into one that matches nothing.
    const matches = picomatch(glob, { dot: true, strictBrackets: true, debug: true, windows: false });
    if (!/^!(?!\()/.test(glob)) return (text) => matches(text);
  } catch (cause) {
    throw invalid(glob, field, cause);
  }
  throw invalid(glob, field);
}

function invalid(glob: string, field: string, cause?: unknown): RepotideError {
  const message = `Invalid pattern "${glob}" in ${field}. Expected e.g. "team/**", without "!" in front.`;
  return new RepotideError('invalid', 'glob_invalid', message, { cause, details: { field, found: glob } });
}
