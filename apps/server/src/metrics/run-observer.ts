import {
  countersOf,
  type Execution,
  type Repository,
  type RunCounter,
  type RunCounters,
  type RunObserver,
} from '@core/domain';
import { type Metrics } from './metrics.js';

interface Begun {
  counters: RunCounters;
  host: string;
}

/** Counts the attempts of this process. The counters of an execution include earlier attempts, so only the increase is added. */
export class MetricsRunObserver implements RunObserver {
  private readonly begun = new Map<string, Begun>();

  /** @param freshSeconds from a tick or push to the end of its sync, at most, for the index to count as fresh. */
  constructor(
    private readonly metrics: Metrics,
    private readonly freshSeconds: number,
  ) {}

  begin(execution: Execution, { baseUrl }: Repository): void {
    this.begun.set(execution.id, { counters: countersOf(execution), host: new URL(baseUrl).host });
    this.metrics.activeRuns.set(this.begun.size);
  }

  end(executionId: string, execution: Execution | null, hasLostLease: boolean): void {
    const begun = this.begun.get(executionId);
    this.begun.delete(executionId);
    this.metrics.activeRuns.set(this.begun.size);
    if (hasLostLease) this.metrics.leaseLosses.inc();
    if (begun && execution) this.record(execution, begun);
  }

  private record(execution: Execution, { counters, host }: Begun): void {
    const { handler, trigger, status, errorCode, durationSeconds } = execution;
    if (errorCode !== null) this.metrics.runErrors.inc({ error_code: errorCode });
    if (status !== 'queued') {
      this.metrics.runs.inc({ handler, trigger, status });
      if (durationSeconds !== null) this.metrics.runSeconds.observe({ handler, status }, durationSeconds);
      this.recordFreshness(execution);
    }
    this.recordWork(host, (counter) => Math.max(0, execution[counter] - counters[counter]));
  }

  /** Syncs that a person starts or stops say nothing about the service's promise. */
  private recordFreshness(execution: Execution): void {
    const { handler, trigger, status, scheduledFor, queuedAt, completedAt } = execution;
    const isDue = handler === 'repository_sync' && (trigger === 'cron' || trigger === 'webhook');
    if (!isDue || status === 'cancelled' || completedAt === null) return;
    const seconds = (completedAt.getTime() - (scheduledFor ?? queuedAt).getTime()) / 1000;
    const outcome = status === 'failed' ? 'failed' : seconds <= this.freshSeconds ? 'fresh' : 'late';
    this.metrics.dueSyncs.inc({ outcome });
  }

  private recordWork(host: string, added: (counter: RunCounter) => number): void {
    const { files, chunks, embeddings, embeddingTokens, sourceRequests, sourceBytes } = this.metrics;
    files.inc({ change: 'added' }, added('filesAdded'));
    files.inc({ change: 'modified' }, added('filesModified'));
    files.inc({ change: 'renamed' }, added('filesRenamed'));
    files.inc({ change: 'deleted' }, added('filesDeleted'));
    files.inc({ change: 'skipped' }, added('filesSkipped'));
    files.inc({ change: 'failed' }, added('filesFailed'));
    chunks.inc({ change: 'upserted' }, added('chunksUpserted'));
    chunks.inc({ change: 'deleted' }, added('chunksDeleted'));
    embeddings.inc({ origin: 'requested' }, added('embeddingsRequested'));
    embeddingTokens.inc(added('embeddingTokens'));
    embeddings.inc({ origin: 'reused' }, added('embeddingsReused'));
    sourceRequests.inc({ host }, added('sourceRequests'));
    sourceBytes.inc({ host }, added('bytesFetched'));
  }
}
