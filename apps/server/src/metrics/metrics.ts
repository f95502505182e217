import {
  AUDIT_KINDS,
  DISCOVERY_RUN_STATUSES,
  ENDED_STATUSES,
  EXECUTION_TRIGGERS,
  RUN_HANDLERS,
} from '@core/domain';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** A sync of a few files takes a second, a first sync of a large repository half an hour. */
const RUN_SECONDS = [0.5, 1, 2, 5, 10, 30, 60, 300, 900, 1800, 3600];
/** A person waits; the time limit ends it. */
const RERANK_SECONDS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** A timer fires within a second, and the poll limits the lag to about 5 s. Higher buckets show outages. */
const LAG_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300];

/**
 * All metrics of this process. Label values come from small sets, except for repositories: the code that fills that
 * label limits their number.
 */
export class Metrics {
  readonly registry = new Registry();

  readonly runs = this.counter('runs_total', 'Ended runs of this process.', 'handler', 'trigger', 'status');
  readonly runSeconds = this.histogram(
    'run_duration_seconds',
    'Duration of runs.',
    RUN_SECONDS,
    'handler',
    'status',
  );
  readonly runErrors = this.counter('run_errors_total', 'Ends of attempts by error code.', 'error_code');
  readonly activeRuns = this.gauge('active_runs', 'Runs in progress in this process.');
  readonly ticks = this.counter('ticks_total', 'Ticks that this process claimed, by outcome.', 'outcome');
  readonly claimLag = this.histogram('claim_lag_seconds', 'Time from a tick to its claim.', LAG_SECONDS);
  readonly leaseLosses = this.counter('lease_losses_total', 'Runs of this process that lost their lease.');
  readonly recovered = this.counter(
    'runs_recovered_total',
    'Interrupted runs taken over, by new status.',
    'status',
  );
  readonly files = this.counter('files_total', 'Files that runs processed, by kind of change.', 'change');
  readonly chunks = this.counter('chunks_total', 'Chunks stored and removed.', 'change');
  readonly embeddings = this.counter('embeddings_total', 'Vectors computed and reused.', 'origin');
  readonly embeddingTokens = this.counter(
    'embedding_tokens_total',
    'Estimated tokens of the embedded texts.',
  );
  readonly embeddingCacheLookups = this.counter(
    'embedding_cache_lookups_total',
    'Lookups by result.',
    'result',
  );
  readonly embeddingCacheEntries = this.gauge(
    'embedding_cache_entries',
    'Cached vectors; set by the leader.',
  );
  readonly embeddingCacheBytes = this.gauge('embedding_cache_bytes', 'Size with indexes; set by the leader.');
  readonly embeddingCacheEvictions = this.counter(
    'embedding_cache_evictions_total',
    'Vectors evicted from the cache.',
  );
  readonly sourceRequests = this.counter(
    'source_requests_total',
    'Requests to code hosts with retries.',
    'host',
  );
  readonly sourceBytes = this.counter('source_bytes_total', 'Bytes read from code hosts.', 'host');
  readonly gitCacheLookups = this.counter(
    'git_cache_lookups_total',
    'Projects looked up in the kept git objects, by result.',
    'result',
  );
  readonly gitCacheBytes = this.gauge('git_cache_bytes', 'Git objects kept on the disk of this process.');
  readonly gitCacheRemovals = this.counter(
    'git_cache_removals_total',
    'Projects whose git objects were removed, by reason.',
    'reason',
  );
  readonly hostWaitSeconds = this.counter(
    'host_wait_seconds_total',
    'Waits for rate limits.',
    'host',
    'budget',
  );
  readonly hostRefusals = this.counter('host_rate_limited_total', 'Answers 429 of a host.', 'host', 'budget');
  readonly discoveryRuns = this.counter(
    'discovery_runs_total',
    'Ended discovery runs of this process.',
    'status',
  );
  readonly discovered = this.counter(
    'discovered_repositories_total',
    'Repositories that discoveries registered, restored and retired.',
    'change',
  );
  readonly rerankings = this.counter(
    'rerankings_total',
    'Searches whose hits were to be reranked; `paused`: not tried after failures.',
    'outcome',
  );
  readonly rerankSeconds = this.histogram(
    'rerank_duration_seconds',
    'Duration of requests to the reranker.',
    RERANK_SECONDS,
  );
  readonly queueDepth = this.gauge('queue_depth', 'Executions that wait in the queue.');
  readonly points = this.gauge('points', 'Points in the vector store.', 'collection');
  readonly repositoryAge = this.gauge(
    'repository_age_seconds',
    'Time since the last run that found or made a repository equal to its branch; the oldest ones only.',
    ...(['repository_id', 'project_path', 'branch'] as const),
  );
  readonly lostRepositories = this.gauge(
    'repositories_lost',
    'Repositories whose points were lost with their collection, until a run has restored them.',
  );
  readonly driftedRepositories = this.gauge(
    'repositories_drifted',
    'Repositories in which the last verification found a difference that no repair has removed.',
  );
  readonly overdueRepositories = this.gauge(
    'repositories_verification_overdue',
    'Synced repositories that were not verified for VERIFY_INTERVAL_DAYS; none if that is 0.',
  );
  readonly oldestVerification = this.gauge(
    'oldest_verification_age_seconds',
    'Time since the least recently verified repository was verified, or registered if it never was.',
  );
  readonly isLeader = this.gauge('leader', '1 while this process is the leader.');
  readonly sseClients = this.gauge('sse_clients', 'Clients that follow events of this process.');
  readonly sseQueuedEvents = this.gauge(
    'sse_queued_events',
    'Events that wait for slow clients of this process.',
  );
  readonly sseDroppedEvents = this.counter('sse_dropped_events_total', 'Events dropped for slow clients.');
  readonly auditRecords = this.counter('audit_records_total', 'Audit records written, by kind.', 'kind');
  readonly auditWriteFailures = this.counter(
    'audit_write_failures_total',
    'Failed attempts to write audit records; the records wait for the next one.',
  );
  readonly eventDeliveries = this.counter(
    'event_deliveries_total',
    'Attempts to send an event to a webhook, by outcome.',
    'outcome',
  );
  readonly pendingEventDeliveries = this.gauge(
    'event_deliveries_pending',
    'Events that wait for an attempt to send them.',
  );
  readonly disabledEventWebhooks = this.gauge(
    'event_webhooks_disabled',
    'Webhooks that were disabled after their failures.',
  );
  readonly auditLost = this.counter(
    'audit_records_lost_total',
    'Audit records that were dropped because too many waited for the database.',
  );
  readonly dueSyncs = this.counter(
    'due_syncs_total',
    'Ended syncs of ticks and pushes: fresh or late by FRESHNESS_TARGET_SECONDS, or failed.',
    'outcome',
  );
  readonly declaredChanges = this.counter(
    'declared_changes_total',
    'Changes that made the service equal to DECLARED_RESOURCES, by cause: the files, or an edit by hand.',
    'cause',
  );
  readonly declaredDifferences = this.gauge(
    'declared_differences',
    'Declared resources that differ from DECLARED_RESOURCES after the last comparison; set by the leader.',
  );
  readonly declaredFailures = this.gauge(
    'declared_failures',
    'Declared resources that the last comparison could not apply, at least 1 when the files are wrong; set by the leader.',
  );
  readonly progressBreaker = this.gauge(
    'progress_breaker_state',
    '1 for the current state, otherwise 0.',
    'state',
  );

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    this.startAtZero();
  }

  /** A rate sees the first event of a series only if the series was 0 before. */
  private startAtZero(): void {
    for (const status of ENDED_STATUSES) {
      for (const handler of RUN_HANDLERS)
        for (const trigger of EXECUTION_TRIGGERS) this.runs.inc({ handler, trigger, status }, 0);
    }
    for (const status of ['queued', 'failed', 'cancelled']) this.recovered.inc({ status }, 0);
    for (const outcome of ['delivered', 'retried', 'failed']) this.eventDeliveries.inc({ outcome }, 0);
    for (const kind of AUDIT_KINDS) this.auditRecords.inc({ kind }, 0);
    for (const outcome of ['fresh', 'late', 'failed']) this.dueSyncs.inc({ outcome }, 0);
    for (const cause of ['files', 'drift']) this.declaredChanges.inc({ cause }, 0);
    for (const outcome of ['applied', 'cached', 'failed', 'paused']) this.rerankings.inc({ outcome }, 0);
    for (const status of DISCOVERY_RUN_STATUSES) this.discoveryRuns.inc({ status }, 0);
  }

  private counter<Label extends string>(name: string, help: string, ...labels: Label[]): Counter<Label> {
    return new Counter(this.describe(name, help, labels));
  }

  private gauge<Label extends string>(name: string, help: string, ...labels: Label[]): Gauge<Label> {
    return new Gauge(this.describe(name, help, labels));
  }

  private histogram<Label extends string>(name: string, help: string, buckets: number[], ...labels: Label[]) {
    return new Histogram<Label>({ ...this.describe(name, help, labels), buckets });
  }

  private describe<Label extends string>(name: string, help: string, labelNames: Label[]) {
    return { name: `repotide_${name}`, help, labelNames, registers: [this.registry] };
  }
}
