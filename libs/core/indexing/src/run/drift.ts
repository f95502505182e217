import { samplePaths, type DriftCause, type DriftReport } from '@core/domain';

/** The points of one repair: how many were missing, and the ids of those that were removed. */
interface Repaired {
  missing: number;
  stale: readonly string[];
  doubled: readonly string[];
  paths: Iterable<string>;
}

/** What Postgres does not know: repositories with their points, and collections. */
interface Unknown {
  repositories: number;
  points: number;
  collections: number;
}

/** A difference between the store and what the last run left there, with what was repaired so far. */
export class Drift {
  private readonly repaired = { points_missing: 0, points_stale: 0, points_doubled: 0 };
  private readonly paths: Set<string>;
  unknown: Unknown = { repositories: 0, points: 0, collections: 0 };

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

  get report(): DriftReport {
    const { expected, found } = this.counts;
    const { earlier, repaired, unknown } = this;
    const paths = samplePaths(this.paths);
    return {
      kind: 'drift',
      cause: this.cause,
      points_expected: expected,
      points_found: found,
      points_missing: Math.max(repaired.points_missing, earlier?.points_missing ?? 0),
      points_stale: Math.max(repaired.points_stale, earlier?.points_stale ?? 0),
      points_doubled: Math.max(repaired.points_doubled, earlier?.points_doubled ?? 0),
      points_in: { ...paths, files: Math.max(paths.files, earlier?.points_in.files ?? 0) },
      stray_repositories: Math.max(unknown.repositories, earlier?.stray_repositories ?? 0),
      stray_points: Math.max(unknown.points, earlier?.stray_points ?? 0),
      stray_collections: Math.max(unknown.collections, earlier?.stray_collections ?? 0),
    };
  }

  /** Why, and what was repaired, in sentences. */
  get message(): string {
    const { report } = this;
    const { points_missing: missing, points_stale: stale, points_doubled: doubled } = report;
    const counts: [number, string][] = [
      [missing, 'missing point(s)'],
      [stale, 'outdated point(s)'],
      [doubled, 'duplicate point(s)'],
    ];
    const found = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
    const repaired = found.length === 0 ? 'No point was wrong.' : `Repaired: ${found.join(', ')}.`;
    const { stray_repositories: repositories, stray_points: points } = report;
    const removed =
      repositories === 0
        ? ''
        : ` Removed ${points} point(s) of ${repositories} repository(s) that Postgres does not know.`;
    const { stray_collections: collections } = report;
    const dropped =
      collections === 0 ? '' : ` Removed ${collections} collection(s) that Postgres does not know.`;
    return `${this.reason} ${repaired}${removed}${dropped}`;
  }

  private get reason(): string {
    const { expected, found } = this.counts;
    const counts = `${found} point(s) in the vector store, ${expected} in the manifest`;
    switch (this.cause) {
      case 'collection_lost':
        return `The collection was missing, or was dropped and created again (${counts}).`;
      case 'points_differ':
        return `The vector store was changed after the last run (${counts}).`;
      case 'store_behind':
        return `The vector store has lost the points of the last run, as after restoring a snapshot (${counts}).`;
      case 'database_behind':
        return `The vector store has points of a run that Postgres does not know, as after restoring a backup (${counts}).`;
    }
  }
}
