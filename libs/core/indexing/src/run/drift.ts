import { samplePaths, type DriftCause, type DriftReport } from '@core/domain';

/** The points of one repair: how many were missing, and the ids of those that were removed. */
interface Repaired {
  missing: number;
  stale: readonly string[];
  doubled: readonly string[];
  paths: Iterable<string>;
}

type Counts = Omit<DriftReport, 'kind' | 'cause' | 'points_expected' | 'points_found' | 'points_in'>;

/** A difference between the store and what the last run left there, with what was repaired so far. */
export class Drift {
  private readonly repaired: Counts = {
    ...{ points_missing: 0, points_stale: 0, points_doubled: 0 },
    ...{ stray_repositories: 0, stray_points: 0, stray_collections: 0 },
  };
  private readonly paths: Set<string>;

  /** @param earlier what an earlier attempt found: this one finds at most the part that it did not repair. */
  constructor(
    readonly cause: DriftCause,
    readonly counts: { expected: number; found: number },
    private readonly earlier: DriftReport | null = null,
  ) {
    this.paths = new Set(earlier?.points_in.first_paths);
  }

  static continued(earlier: DriftReport): Drift {
    const { cause, points_expected: expected, points_found: found } = earlier;
    return new Drift(cause, { expected, found }, earlier);
  }

  add({ missing, stale, doubled, paths }: Repaired): void {
    this.repaired.points_missing += missing;
    this.repaired.points_stale += stale.length;
    this.repaired.points_doubled += doubled.length;
    for (const path of paths) this.paths.add(path);
  }

  /** What Postgres does not know: repositories with their points, and collections. */
  setStrays(repositories: number, points: number, collections: number): void {
    const strays = { stray_repositories: repositories, stray_points: points, stray_collections: collections };
    Object.assign(this.repaired, strays);
  }

  get report(): DriftReport {
    const { expected, found } = this.counts;
    const counts = { ...this.repaired };
    for (const name of Object.keys(counts) as (keyof Counts)[])
      counts[name] = Math.max(counts[name], this.earlier?.[name] ?? 0);
    const paths = samplePaths(this.paths);
    const files = Math.max(paths.files, this.earlier?.points_in.files ?? 0);
    const compared = { cause: this.cause, points_expected: expected, points_found: found };
    return { kind: 'drift', ...compared, ...counts, points_in: { ...paths, files } };
  }

  /** Why, and what was repaired, in sentences. */
  get message(): string {
    const { report } = this;
    const repaired = countsIn([
      [report.points_missing, 'missing point(s)'],
      [report.points_stale, 'outdated point(s)'],
      [report.points_doubled, 'duplicate point(s)'],
    ]);
    const sentences = [
      this.reason,
      repaired === '' ? 'No point was wrong.' : `Repaired: ${repaired}.`,
      report.stray_repositories > 0 &&
        `Removed ${report.stray_points} point(s) of ${report.stray_repositories} repository(s) that Postgres does not know.`,
      report.stray_collections > 0 &&
        `Removed ${report.stray_collections} collection(s) that Postgres does not know.`,
    ];
    return sentences.filter((sentence) => sentence !== false).join(' ');
  }

  private get reason(): string {
    const { expected, found } = this.counts;
    return `${REASONS[this.cause]} (${found} point(s) in the vector store, ${expected} in the manifest).`;
  }
}

const REASONS: Record<DriftCause, string> = {
  collection_lost: 'The collection was missing, or was dropped and created again',
  points_differ: 'The vector store was changed after the last run',
  store_behind: 'The vector store has lost the points of the last run, as after restoring a snapshot',
  database_behind:
    'The vector store has points of a run that Postgres does not know, as after restoring a backup',
};

/** The counts above 0 in words, e.g. `2 missing point(s), 1 failed file(s)`. */
export function countsIn(counts: readonly (readonly [count: number, what: string])[]): string {
  const found = counts.filter(([count]) => count > 0);
  return found.map(([count, what]) => `${count} ${what}`).join(', ');
}
