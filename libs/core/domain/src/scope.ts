/** Patterns of the project paths that a caller may see and change; null: all. */
export type Scope = readonly string[] | null;

/** Ids of the repositories that a caller may see, deleted ones included; null: all. */
export type VisibleRepositories = readonly string[] | null;

/** Characters of GitLab's paths, wildcards, and `:` for patterns that begin with the address of a host. */
export const SCOPE_PATTERN = /^[\w.\-:/*?]{1,300}$/;

/** The pattern of everything. */
const EVERYTHING = '**';

/** A scope with the pattern of everything has no limits. */
export function scopeOf(patterns: readonly string[] | null): Scope {
  return patterns === null || patterns.includes(EVERYTHING) ? null : patterns;
}

/** Whether a scope contains a project. */
export function isInScope(
  scope: Scope,
  { baseUrl, projectPath }: { baseUrl: string; projectPath: string },
): boolean {
  if (scope === null) return true;
  const { paths, addresses } = scopeExpressions(scope);
  const matches = (subject: string) => (expression: string) => new RegExp(expression, 'i').test(subject);
  return paths.some(matches(projectPath)) || addresses.some(matches(`${baseUrl}/${projectPath}`));
}

/**
 * Regular expressions for paths, and for addresses (`https://host/path`), which Postgres and JavaScript understand alike.
 * Case is ignored, as GitLab does. `*` and `?` stay within a name, `**` matches any names. A pattern
 * covers what it matches, and everything below: a group with its subgroups and projects.
 */
export function scopeExpressions(patterns: readonly string[]): { paths: string[]; addresses: string[] } {
  const isAddress = (pattern: string): boolean => pattern.includes('://');
  return {
    paths: patterns.filter((pattern) => !isAddress(pattern)).map(expressionOf),
    addresses: patterns.filter(isAddress).map(expressionOf),
  };
}

const WILDCARDS: Readonly<Record<string, string>> = { '**': '.*', '*': '[^/]*', '?': '[^/]', '.': '\\.' };

function expressionOf(pattern: string): string {
  const body = pattern.replace(/\/+$/, '').replace(/\*\*|[*?.]/g, (found) => WILDCARDS[found] ?? found);
  return `^${body}(/.*)?$`;
}
