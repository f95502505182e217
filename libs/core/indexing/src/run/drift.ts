import { samplePaths, type DriftCause, type DriftReport } from '@core/domain';

/** The points of one repair: how many were missing, and the ids of those that were removed. */
interface Repaired {
  missing: number;
  stale: readonly string[];
  doubled: readonly string[];
  paths: Iterable<string>;
}

export interface Strays {
  repositories: number;
  points: number;
}

/** A difference between the store and what the last run left there, with what was repaired so far. */
export class Drift {
  private readonly repaired = { points_missing: 0, points_stale: 0, points_doubled: 0 };
  private readonly paths = new Set<string>();
  /** Removed points of repositories that Postgres does not know. */
  strays: Strays = { repositories: 0, points: 0 };

  constructor(
    readonly cause: DriftCause,
    readonly counts: { expected: number; found: number },
  ) {}

  add({ missing, stale, doubled, paths }: Repaired): void {
    this.repaired.points_missing += missing;
    this.repaired.points_stale += stale.length;
    this.repaired.points_doubled += doubled.length;
    for (const path of paths) this.paths.add(path);
  }

  get report(): DriftReport {
    const { expected, found } = this.counts;
    const points = { points_expected: expected, points_found: found, ...this.repaired };
    return {
      kind: 'drift',
      cause: this.cause,
      ...points,
      points_in: samplePaths(this.paths),
      stray_repositories: this.strays.repositories,
      stray_points: this.strays.points,
    };
  }

  /** Why, and what was repaired, in sentences. */
  get message(): string {
    const { points_missing: missing, points_stale: stale, points_doubled: doubled } = this.repaired;
    const counts: [number, string][] = [
      [missing, 'missing point(s)'],
      [stale, 'outdated point(s)'],
      [doubled, 'duplicate point(s)'],
    ];
    const found = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
    const repaired = found.length === 0 ? 'No point was wrong.' : `Repaired: ${found.join(', ')}.`;
    const { repositories, points } = this.strays;
    const removed =
      repositories === 0
        ? ''
        : ` Removed ${points} point(s) of ${repositories} repository(s) that Postgres does not know.`;
    return `${this.reason} ${repaired}${removed}`;
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
