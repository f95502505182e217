import { type ContentKind, kindOf } from './content-kind.js';
import { type MergedHit } from './merge-hits.js';

export interface FacetCount<Value = string> {
  value: Value;
  count: number;
}

/** How the candidates of a query spread, most frequent first. */
export interface Facets {
  languages: FacetCount[];
  repositories: (FacetCount & { name: string })[];
  kinds: FacetCount<ContentKind>[];
}

export function facetsOf(hits: readonly MergedHit[]): Facets {
  const names = new Map(
    hits.map(({ best: { repository } }) => [repository.id, `${repository.projectPath}@${repository.branch}`]),
  );
  const repositories = counted(hits.map(({ best }) => best.repository.id));
  return {
    languages: counted(hits.flatMap(({ best }) => best.payload.language ?? [])),
    repositories: repositories.map((entry) => ({ ...entry, name: names.get(entry.value) ?? entry.value })),
    kinds: counted(hits.map(({ best: { payload } }) => kindOf(payload.path, payload.language))),
  };
}

function counted<Value extends string>(values: readonly Value[]): FacetCount<Value>[] {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((left, right) => right.count - left.count || (left.value < right.value ? -1 : 1));
}
