import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** A sync of a few files takes a second, a first sync of a large repository half an hour. */
const RUN_SECONDS = [0.5, 1, 2, 5, 10, 30, 60, 300, 900, 1800, 3600];
/** A timer fires within a second, and the poll limits the lag to about 5 s. Higher buckets show outages. */
const LAG_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300];

/**
 * All metrics of this process. Label values come from small sets, except for repositories: the code that fills that
 * label limits their number.
 */
export class Metrics {
  readonly registry = new Registry();
  private readonly registers = [this.registry];

  readonly runs = this.counter(
    'runs_total',
    'Runs that this process worked on and that ended, by what they did.',
    ['handler', 'trigger', 'status'],
  );
  readonly runSeconds = new Histogram({
    name: 'repotide_run_duration_seconds',
    help: 'How long runs took.',
    labelNames: ['handler', 'status'],
    buckets: RUN_SECONDS,
    registers: this.registers,
  });
  readonly runErrors = this.counter('run_errors_total', 'Ends of attempts by error code.', ['error_code']);
  readonly activeRuns = this.gauge('active_runs', 'Runs at work in this process.');
  readonly ticks = this.counter('ticks_total', 'Ticks claimed by this process, by what became of them.', [
    'outcome',
  ]);
  readonly claimLag = new Histogram({
    name: 'repotide_claim_lag_seconds',
    help: 'How long after its instant a tick was claimed.',
    buckets: LAG_SECONDS,
    registers: this.registers,
  });
  readonly leaseLosses = this.counter('lease_losses_total', 'Runs of this process that lost their lease.');
  readonly recovered = this.counter(
    'runs_recovered_total',
    'Interrupted runs taken over, by what became of them.',
    ['status'],
  );
  readonly files = this.counter('files_total', 'Files that runs looked at, by what was found.', ['change']);
  readonly chunks = this.counter('chunks_total', 'Chunks stored and removed.', ['change']);
  readonly embeddings = this.counter('embeddings_total', 'Vectors made and reused.', ['origin']);
  readonly embeddingTokens = this.counter(
    'embedding_tokens_total',
    'Estimated tokens of the texts sent to the embedding server.',
  );
  readonly embeddingCacheLookups = this.counter(
    'embedding_cache_lookups_total',
    'Texts looked up in the embedding cache, by whether they were there.',
    ['result'],
  );
  readonly embeddingCacheEntries = this.gauge(
    'embedding_cache_entries',
    'Vectors in the embedding cache, told by the process that leads the chores.',
  );
  readonly embeddingCacheBytes = this.gauge(
    'embedding_cache_bytes',
    'Size of the embedding cache with its indexes, told by the process that leads the chores.',
  );
  readonly embeddingCacheEvictions = this.counter(
    'embedding_cache_evictions_total',
    'Vectors that this process forgot to keep the embedding cache within its bound.',
  );
  readonly sourceRequests = this.counter(
    'source_requests_total',
    'Requests to code hosts, retries included.',
    ['host'],
  );
  readonly sourceBytes = this.counter('source_bytes_total', 'Bytes read from code hosts.', ['host']);
  readonly hostWaitSeconds = this.counter(
    'host_wait_seconds_total',
    'Time that requests waited for the budget of a host.',
    ['host', 'budget'],
  );
  readonly hostRefusals = this.counter(
    'host_rate_limited_total',
    'Requests that a host refused for its limits (429).',
    ['host', 'budget'],
  );
  readonly discoveryRuns = this.counter('discovery_runs_total', 'Runs of discoveries that ended here.', [
    'status',
  ]);
  readonly discovered = this.counter(
    'discovered_repositories_total',
    'Repositories that discoveries registered, found again and retired.',
    ['change'],
  );
  readonly queueDepth = this.gauge('queue_depth', 'Executions that wait in the queue.');
  readonly points = this.gauge('points', 'Points in the vector store.', ['collection']);
  readonly repositoryAge = this.gauge(
    'repository_age_seconds',
    'Time since a repository was last found or made equal to its branch; the oldest ones only.',
    ['repository_id', 'project_path', 'branch'],
  );
  readonly lostRepositories = this.gauge(
    'repositories_lost',
    'Repositories whose points were lost with their collection, until a run has restored them.',
  );
  readonly isLeader = this.gauge('leader', '1 while this process leads the chores.');
  readonly sseClients = this.gauge('sse_clients', 'Clients that follow events of this process.');
  readonly sseQueuedEvents = this.gauge('sse_queued_events', 'Events that wait for clients of this process.');
  readonly sseDroppedEvents = this.counter(
    'sse_dropped_events_total',
    'Events that a client was too slow to take.',
  );
  readonly progressBreaker = this.gauge(
    'progress_breaker_state',
    '1 for the state that the progress display is in, 0 for the others.',
    ['state'],
  );

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  private counter<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ): Counter<Label> {
    return new Counter({
      name: `repotide_${name}`,
      help,
      labelNames: [...labelNames],
      registers: this.registers,
    });
  }

  private gauge<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ): Gauge<Label> {
    return new Gauge({
      name: `repotide_${name}`,
      help,
      labelNames: [...labelNames],
      registers: this.registers,
    });
  }
}
