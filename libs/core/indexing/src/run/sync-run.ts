import { ruleFilesFingerprint, type RuleFile, type SecretsPolicy } from '@core/chunking';
import {
  type Clock,
  type Embedder,
  type EmbeddingCache,
  type Logger,
  type Manifest,
  type ProjectName,
  type ProgressReporter,
  type Repository,
  type RunCounters,
  type RunIdentity,
  type Source,
  type SourceUsage,
  type SpanFacts,
  type ProgressUpdate,
  type Tracer,
  type VectorStore,
} from '@core/domain';
import { FetchStrategies } from './fetch-strategies.js';
import { type RunWaits } from './run-waits.js';
import { NO_LIMITS, RunBudget, type RunLimits } from './run-budget.js';
import { fingerprintOf, indexSettingsOf, type IndexSettings } from './identity.js';
import { WorkDone } from './work-done.js';

/** What a sync needs from the outside. */
export interface IndexingPorts {
  source: Source;
  embedder: Embedder;
  embeddingCache: EmbeddingCache;
  vectorStore: VectorStore;
  /** Of the generation that the run works on. */
  manifest: Manifest;
  progress: ProgressReporter;
  logger: Logger;
  clock: Clock;
  tracer: Tracer;
}

export interface SyncRequest {
  identity: RunIdentity;
  /** With its state in the generation that the run works on. */
  repository: Repository;
  /** The vector store's own name of that generation. */
  collection: string;
  /** Trust neither pointer nor manifest: read, chunk and store everything again. */
  fullSync: boolean;
  secretsPolicy: SecretsPolicy;
  /** Fires on cancel, lost lease, shutdown or timeout. */
  signal: AbortSignal;
  limits: SyncLimits;
  /** Absent: it may spend what it needs. */
  budget?: RunLimits;
  /** Shared with the heartbeat, which stores it while the run goes on. */
  counters: RunCounters;
  /** Of the same counters, and shown by the source. */
  waits: RunWaits;
}

export interface SyncLimits {
  /** Blobs fetched at the same time. */
  fetchConcurrency: number;
  /** A batch is stored when it holds this many chunks or files. */
  batchChunks: number;
  batchFiles: number;
  /** A manifest of so many files is worth a comparison; a smaller tree is listed whole in a few requests. */
  compareFromFiles: number;
  /** What an archive costs beside its bytes, in requests: hosts grant few of them. */
  archivePrice: number;
  /** So many files are worth a batch request: a single one is read by its blob SHA in one request as well. */
  batchFromFiles: number;
  /** A run of which more files failed does not go on; 100 lets every run go on. */
  maxFailedPercent: number;
}

/** Sizes that keep a batch below a few megabytes, whatever the files. */
export const DEFAULT_SYNC_LIMITS: SyncLimits = {
  fetchConcurrency: 8,
  batchChunks: 128,
  batchFiles: 100,
  compareFromFiles: 300,
  archivePrice: 4,
  batchFromFiles: 2,
  maxFailedPercent: 50,
};

/** One run's working state: its request, ports, settings and counters. */
export class SyncRun {
  readonly settings: IndexSettings;
  readonly ways: FetchStrategies;
  readonly work = new WorkDone();
  readonly budget: RunBudget;
  /** As the host calls it now; the repository's row may hold a former path. */
  projectPath: string;
  private readonly earlier: SourceUsage & { failed: number; processed: number };
  private ruleFiles: string | null = null;
  private shown: { stage: ProgressUpdate['stage']; message: string; currentFile: string | null } | null =
    null;
  /** Why the run waits for a host, said instead of what it would do. */
  private waitingWords: string | null = null;

  constructor(
    readonly request: SyncRequest,
    readonly ports: IndexingPorts,
  ) {
    this.settings = indexSettingsOf(request.repository, ports.embedder.model.id, request.secretsPolicy);
    this.ways = new FetchStrategies(ports.source, ports.logger);
    this.budget = new RunBudget(request.budget ?? NO_LIMITS, request.counters, ports.clock);
    this.projectPath = request.repository.projectPath;
    const { sourceRequests, bytesFetched, sourceRetries, filesFailed, filesProcessed } = request.counters;
    this.earlier = {
      requests: sourceRequests,
      bytes: bytesFetched,
      retries: sourceRetries,
      failed: filesFailed,
      processed: filesProcessed,
    };
    request.waits.onChange = (words) => {
      this.waitingWords = words;
      if (this.shown) this.show(this.shown);
    };
  }

  /** Of what this run makes; known once the commit's rule files are. */
  get fingerprint(): string {
    if (this.ruleFiles === null)
      throw new Error('The fingerprint was asked for before the rule files were read.');
    return fingerprintOf(this.settings, this.ruleFiles);
  }
  obey(ruleFiles: readonly RuleFile[]): void {
    this.ruleFiles = ruleFilesFingerprint(ruleFiles);
  }

  get repository(): Repository {
    return this.request.repository;
  }
  get identity(): RunIdentity {
    return this.request.identity;
  }
  get signal(): AbortSignal {
    return this.request.signal;
  }
  get collection(): string {
    return this.request.collection;
  }
  get project(): ProjectName {
    return { projectId: this.repository.projectId, projectPath: this.projectPath };
  }
  /** The request's counters with the source's usage so far, that of earlier attempts included. */
  get counters(): RunCounters {
    const usage = this.ports.source.usage();
    return Object.assign(this.request.counters, {
      sourceRequests: this.earlier.requests + usage.requests,
      sourceRetries: this.earlier.retries + usage.retries,
      bytesFetched: this.earlier.bytes + usage.bytes,
    });
  }

  /**
   * The counters hold earlier attempts too; what failed then says nothing of how this one goes. Nor does what the budget
   * refused.
   */
  filesOfAttempt(): { failed: number; processed: number } {
    const { filesFailed, filesProcessed } = this.request.counters;
    const failed = filesFailed - this.earlier.failed - this.budget.unfitFiles;
    return { failed, processed: filesProcessed - this.earlier.processed };
  }

  /** Work that shows in the run's trace. */
  stage<T>(name: string, facts: SpanFacts, work: () => Promise<T>): Promise<T> {
    return this.ports.tracer.span(name, facts, work);
  }

  report(stage: ProgressUpdate['stage'], message: string, currentFile: string | null = null): void {
    this.shown = { stage, message, currentFile };
    this.show(this.shown);
  }

  private show(what: Pick<ProgressUpdate, 'stage' | 'message' | 'currentFile'>): void {
    this.ports.progress.report(this.identity.executionId, {
      ...what,
      message: this.waitingWords ?? what.message,
      ...this.work.files,
      shareDone: this.work.share,
      failedFiles: this.request.counters.filesFailed,
    });
  }

  /** Files are read, chunked, embedded and stored at once: how far all that is, while a batch is in hand too. */
  reportWork(currentFile: string | null): void {
    this.report('embedding', this.work.message, currentFile);
  }
}
