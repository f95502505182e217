export interface Group {
  path: string;
  /** Projects in it and in its subgroups. */
  projects: number;
}

/** Every group on the way to a project, with the number of projects below it. */
export function groupsOf(projectPaths: readonly string[]): Group[] {
  const counts = new Map<string, number>();
  for (const projectPath of projectPaths) {
    const parts = projectPath.split('/').slice(0, -1);
    parts.forEach((_, index) => {
      const path = parts.slice(0, index + 1).join('/');
      counts.set(path, (counts.get(path) ?? 0) + 1);
    });
  }
  return [...counts]
    .map(([path, projects]) => ({ path, projects }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
