import { type Execution } from '@core/domain';
import { type GitLabStandIn } from '@devkit';

/** Counts runs, strategies and faults, to prove that every strategy was used and that faults occurred. */
export class Tally {
  private readonly runs = new Map<string, number>();
  private readonly runsByWay = new Map<string, number>();
  private readonly requestsByWay = new Map<string, number>();
  private readonly faults = new Map<string, number>();
  private readonly moves = new Map<string, number>();
  private readonly edits = new Map<string, number>();
  private readonly stores = new Map<string, number>();
  private readonly startedAt = performance.now();

  started(vectors: string): void {
    add(this.stores, vectors);
  }

  played(move: string, edits: readonly { kind: string }[]): void {
    add(this.moves, move);
    for (const { kind } of edits) add(this.edits, kind);
  }

  /** @param gitlab its log holds only the requests of this run. */
  ran(run: Execution, gitlab: GitLabStandIn): void {
    add(this.runs, run.status);
    if (run.fetchStrategy?.endsWith(' (git)')) add(this.runsByWay, 'git');
    for (const part of run.fetchStrategy?.replace(/ \(.*/, '').split(', ') ?? []) {
      const [way = '', requests] = part.split(' ');
      add(this.runsByWay, way);
      add(this.requestsByWay, way, Number(requests));
    }
    for (const { fault, status } of gitlab.requests) {
      if (fault !== null) add(this.faults, fault === 'status' ? `status ${status}` : fault);
    }
  }

  /** The number of runs that used a strategy. */
  taken(way: string): number {
    return this.runsByWay.get(way) ?? 0;
  }

  report(settings: object): string {
    const report = {
      ...settings,
      seconds: Math.round((performance.now() - this.startedAt) / 1000),
      histories_by_vector_store: sorted(this.stores),
      moves: sorted(this.moves),
      edits: sorted(this.edits),
      runs: sorted(this.runs),
      runs_by_way: sorted(this.runsByWay),
      requests_by_way: sorted(this.requestsByWay),
      faults_that_struck: sorted(this.faults),
    };
    return `${JSON.stringify(report, null, 2)}\n`;
  }
}

function add(counts: Map<string, number>, name: string, count = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}

function sorted(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].sort(([, left], [, right]) => right - left));
}
