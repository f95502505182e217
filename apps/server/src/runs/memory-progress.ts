import { type ProgressReporter, type ProgressUpdate, type Stage } from '@core/domain';

/** What people see of one run. */
export interface ProgressSnapshot extends ProgressUpdate {
  /** 0 to 100, never falls. */
  percent: number;
  updatedAt: Date;
}

type Listener = (executionId: string, snapshot: ProgressSnapshot) => void;

const FINISHED_KEPT_MS = 60_000;
const SILENT_KEPT_MS = 300_000;
const RANGES: Record<Exclude<Stage, 'error'>, [number, number]> = {
  initializing: [0, 0],
  downloading: [0, 15],
  annotating: [15, 30],
  extracting: [30, 50],
  chunking: [50, 65],
  embedding: [15, 90],
  storing: [90, 100],
  completed: [100, 100],
};

/** Progress of the runs of this process, forgotten a minute after they end or five after they fall silent. */
export class MemoryProgress implements ProgressReporter {
  private readonly snapshots = new Map<string, ProgressSnapshot>();
  private readonly listeners = new Set<Listener>();

  report(executionId: string, update: ProgressUpdate): void {
    this.forgetOld();
    const percent = Math.max(this.snapshots.get(executionId)?.percent ?? 0, percentOf(update));
    const snapshot = { ...update, percent, updatedAt: new Date() };
    this.snapshots.set(executionId, snapshot);
    for (const listener of this.listeners) listener(executionId, snapshot);
  }

  find(executionId: string): ProgressSnapshot | null {
    this.forgetOld();
    return this.snapshots.get(executionId) ?? null;
  }

  /** @returns the function that ends the subscription. */
  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private forgetOld(): void {
    const now = Date.now();
    for (const [executionId, { stage, updatedAt }] of this.snapshots) {
      const keptMs = stage === 'completed' || stage === 'error' ? FINISHED_KEPT_MS : SILENT_KEPT_MS;
      if (now - updatedAt.getTime() > keptMs) this.snapshots.delete(executionId);
    }
  }
}

/** A streamed run does all stages at once, so the share of files done is spread over their common range. */
function percentOf({ stage, processedFiles, totalFiles }: ProgressUpdate): number {
  if (stage === 'error') return 0;
  const [from, to] = RANGES[stage];
  const share = totalFiles === 0 ? 0 : processedFiles / totalFiles;
  return Math.round(from + (to - from) * share);
}
