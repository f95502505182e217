import { samplePaths, type DriftCause, type DriftReport } from '@core/domain';

/** The points of one repair: how many were missing, and the ids of those that were removed. */
interface Repaired {
  missing: number;
  stale: readonly string[];
  doubled: readonly string[];
  paths: Iterable<string>;
}

/** A difference between the store and what the last run left there, with what was repaired so far. */
export class Drift {
  private readonly repaired = { points_missing: 0, points_stale: 0, points_doubled: 0 };
  private readonly paths = new Set<string>();

  constructor(
    readonly cause: DriftCause,
    private readonly counts: { expected: number; found: number },
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
    return { kind: 'drift', cause: this.cause, ...points, points_in: samplePaths(this.paths) };
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
    return `${this.reason} ${repaired}`;
  }

  private get reason(): string {
    const { expected, found } = this.counts;
    const counts = `${found} point(s) in the vector store, ${expected} in the manifest`;
    switch (this.cause) {
      case 'points_differ':
        return `The vector store was changed after the last run (${counts}).`;
      case 'store_behind':
        return `The vector store has lost the points of the last run, as after restoring a snapshot (${counts}).`;
      case 'database_behind':
        return `The vector store has points of a run that Postgres does not know, as after restoring a backup (${counts}).`;
    }
  }
}
