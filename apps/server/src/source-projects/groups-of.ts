export interface SourceGroup {
  groupPath: string;
  /** Projects in it and in its subgroups. */
  projectCount: number;
}

/** Every group on the way to a project, with the number of projects below it. */
export function groupsOf(projectPaths: readonly string[]): SourceGroup[] {
  const counts = new Map<string, number>();
  for (const projectPath of projectPaths) {
    const parts = projectPath.split('/').slice(0, -1);
    parts.forEach((_, index) => {
      const path = parts.slice(0, index + 1).join('/');
      counts.set(path, (counts.get(path) ?? 0) + 1);
    });
  }
  return [...counts]
    .map(([groupPath, projectCount]) => ({ groupPath, projectCount }))
    .toSorted((a, b) => (a.groupPath < b.groupPath ? -1 : 1));
}
