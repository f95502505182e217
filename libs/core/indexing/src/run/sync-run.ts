import {
  fittingSettings,
  ruleFilesFingerprint,
  type RuleFile,
  type SecretsPolicy,
  type SplitSettings,
} from '@core/chunking';
import {
  Gate,
  RepotideError,
  type Clock,
  type ContentPreparer,
  type Embedder,
  type EmbeddingCache,
  type GenerationStore,
  type Logger,
  type Manifest,
  type ProjectName,
  type ProgressReporter,
  type Repository,
  type RunCounters,
  type RuleWarning,
  type RunIdentity,
  type RunReport,
  type Source,
  type SpanAttributes,
  type ProgressUpdate,
  type Tracer,
  type TreeEntry,
  type VectorStore,
} from '@core/domain';
import { type Drift } from './drift.js';
import { FetchStrategies } from './fetch-strategies.js';
import { RunBudget, type RunLimits } from './run-budget.js';
import { fingerprintOf, indexSettingsOf, type IndexSettings } from './identity.js';
import { type WaitTracker } from './wait-tracker.js';
import { WorkProgress } from './work-progress.js';

export interface IndexingPorts {
  source: Source;
  contents: ContentPreparer;
  embedder: Embedder;
  embeddingCache: EmbeddingCache;
  vectorStore: VectorStore;
  /** The manifest of the generation that the run works on. */
  manifest: Manifest;
  generations: Pick<GenerationStore, 'adoptCollection' | 'list' | 'listOwners'>;
  progress: ProgressReporter;
  logger: Logger;
  clock: Clock;
  tracer: Tracer;
}

export interface SyncRequest {
  identity: RunIdentity;
  /** With its index state in that generation. */
  repository: Repository;
  generationId: string;
  /** The generation's name in the vector store. */
  collection: string;
  /** How the files are split: as the repository says, or smaller where the model takes less. */
  chunking: SplitSettings;
  /** Whether the embedding server was just asked for its model. */
  isModelConfirmed: boolean;
  /** Ignore pointer and manifest: read, chunk and store everything again, except what this execution has stored. */
  fullSync: boolean;
  /** What an earlier attempt of the execution found and began to repair. */
  found?: RunReport | null;
  secretsPolicy: SecretsPolicy;
  /** Fires on cancel, lost lease, shutdown or timeout. */
  signal: AbortSignal;
  limits: SyncLimits;
  /** Absent: no limits. */
  readLimits?: () => Promise<RunLimits>;
  /** Shared with the heartbeat, which stores them during the run. */
  counters: RunCounters;
  /** Counts into the same counters; the source's observer. */
  waits: WaitTracker;
}

export interface SyncLimits {
  /** Blobs fetched at the same time. */
  fetchConcurrency: number;
  /** A batch is stored when it holds this many chunks or files. */
  batchChunks: number;
  batchFiles: number;
  /** Commits are compared from this many files; a smaller tree is listed in a few requests. */
  compareFromFiles: number;
  /** Cost of an archive request, in ordinary requests: hosts allow few archives. */
  archivePrice: number;
  /** Minimum files of a batch request; a single file needs one request by its blob SHA as well. */
  batchFromFiles: number;
  /** A run with more failed files than this stops; 100: never. */
  maxFailedPercent: number;
}

/** The batch sizes keep a batch below a few megabytes. */
export const DEFAULT_SYNC_LIMITS: SyncLimits = {
  fetchConcurrency: 8,
  batchChunks: 128,
  batchFiles: 100,
  compareFromFiles: 300,
  archivePrice: 4,
  batchFromFiles: 2,
  maxFailedPercent: 50,
};

/** The state of one run: request, ports, settings, budget, counters and progress. */
export class SyncRun {
  readonly repository: Repository;
  readonly identity: RunIdentity;
  readonly signal: AbortSignal;
  readonly collection: string;
  readonly chunking: SplitSettings;
  /** Of the vectors that the run writes; the embedder may find another model meanwhile. */
  readonly modelId: string;
  readonly settings: IndexSettings;
  readonly strategies: FetchStrategies;
  readonly work = new WorkProgress();
  readonly budget: RunBudget;
  /** Lets one batch commit its rows at a time. */
  readonly commits = new Gate(1);
  /** The head of the branch, once `resolveHead` has found it. */
  commit = '';
  /** The project's current path on the host; the repository's row may have a former one. */
  projectPath: string;
  /** What changed in the store since the last run; null: nothing was found. */
  drift: Drift | null = null;
  private readonly earlier: RunCounters;
  /** What has no effect in the rule files. */
  ruleWarnings: readonly RuleWarning[] = [];
  private confirmation: Promise<void> | undefined;
  private ruleFiles: string | null = null;
  private shown: Pick<ProgressUpdate, 'stage' | 'message' | 'currentFile'> | null = null;
  /** Why the run waits for a host; replaces the message of its stage. */
  private waitMessage: string | null = null;

  constructor(
    readonly request: SyncRequest,
    readonly ports: IndexingPorts,
  ) {
    this.repository = request.repository;
    this.identity = request.identity;
    this.signal = request.signal;
    this.collection = request.collection;
    this.chunking = request.chunking;
    this.modelId = ports.embedder.model.id;
    const repository = { ...request.repository, ...request.chunking };
    this.settings = indexSettingsOf(repository, this.modelId, request.secretsPolicy);
    this.strategies = new FetchStrategies(ports.source, ports.logger);
    this.budget = new RunBudget(request.counters, ports.clock);
    this.projectPath = request.repository.projectPath;
    this.earlier = { ...request.counters };
    request.waits.onChange = (message) => {
      this.waitMessage = message;
      if (this.shown) this.show(this.shown);
    };
  }

  /** Fingerprint of what this run writes. Needs the commit's rule files. */
  get fingerprint(): string {
    if (this.ruleFiles === null)
      throw new Error('The fingerprint needs the rule files, which are not read yet.');
    return fingerprintOf(this.settings, this.ruleFiles);
  }
  setRuleFiles(ruleFiles: readonly RuleFile[], warnings: readonly RuleWarning[]): void {
    this.ruleFiles = ruleFilesFingerprint(ruleFiles);
    this.ruleWarnings = warnings;
  }

  /** Whether the store or the manifest cannot be trusted, so that every file and every point is compared. */
  get comparesPoints(): boolean {
    return this.request.fullSync || this.repository.indexDirty || this.drift !== null;
  }

  get project(): ProjectName {
    return { projectId: this.repository.projectId, projectPath: this.projectPath };
  }
  /** The request's counters with the source's usage so far, including earlier attempts. */
  get counters(): RunCounters {
    const usage = this.ports.source.usage();
    return Object.assign(this.request.counters, {
      sourceRequests: this.earlier.sourceRequests + usage.requests,
      sourceRetries: this.earlier.sourceRetries + usage.retries,
      bytesFetched: this.earlier.bytesFetched + usage.bytes,
    });
  }

  /** This attempt's files, without earlier attempts. Files that the budget refused do not count as failed. */
  filesOfAttempt(): { failed: number; processed: number } {
    const { filesFailed, filesProcessed } = this.request.counters;
    const failed = filesFailed - this.earlier.filesFailed - this.budget.unfitFiles;
    return { failed, processed: filesProcessed - this.earlier.filesProcessed };
  }

  /**
   * Call before the run embeds its first text. A run that embeds nothing asks the embedding server nothing.
   * @throws temporary `embedding_model_changed`, or `embedding_chunks_changed` when the chunks do not fit the server.
   */
  confirmModel(): Promise<void> {
    return (this.confirmation ??= this.askForModel());
  }

  private async askForModel(): Promise<void> {
    const { ports, request, repository, signal, chunking } = this;
    if (!request.isModelConfirmed) await ports.embedder.confirm(signal, request.waits);
    const longest = await ports.embedder.longestChunk(repository.chunkSize, signal);
    const { chunkSize } = fittingSettings(repository, longest);
    if (chunkSize === chunking.chunkSize) return;
    const message = `The model embeds chunks of ${chunkSize} characters whole, and this run has made chunks of ${chunking.chunkSize}; the next one makes chunks that fit.`;
    throw new RepotideError('temporary', 'embedding_chunks_changed', message);
  }

  /** Call before the run works. A run that finds nothing to do needs no limits. */
  async readLimits(): Promise<void> {
    const limits = await this.request.readLimits?.();
    if (limits) this.budget.limits = limits;
  }

  /** The entries of one folder of the commit, as the code host shows them. @throws as {@link Source.listFolder}. */
  listFolder(path: string): Promise<TreeEntry[]> {
    return this.ports.source.listFolder(this.repository.projectId, this.commit, path, this.signal);
  }

  /** Runs a stage as a span of the run's trace. */
  stage<T>(name: string, facts: SpanAttributes, work: () => Promise<T>): Promise<T> {
    return this.ports.tracer.span(name, facts, work);
  }

  report(stage: ProgressUpdate['stage'], message: string, currentFile: string | null = null): void {
    this.shown = { stage, message, currentFile };
    this.show(this.shown);
  }

  private show(shown: Pick<ProgressUpdate, 'stage' | 'message' | 'currentFile'>): void {
    this.ports.progress.report(this.identity.executionId, {
      ...shown,
      message: this.waitMessage ?? shown.message,
      ...this.work.files,
      shareDone: this.work.share,
      stages: this.work.stages,
      failedFiles: this.request.counters.filesFailed,
    });
  }

  /** Reports the common progress of reading, chunking, embedding and storing, which happen at the same time. */
  reportWork(currentFile: string | null): void {
    this.report('embedding', this.work.message, currentFile);
  }
}
