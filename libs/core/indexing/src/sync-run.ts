import {
  type Clock,
  type Embedder,
  type EmbeddingCache,
  type Logger,
  type ManifestStore,
  type ProgressReporter,
  type Repository,
  type RunCounters,
  type RunIdentity,
  type Source,
  type Stage,
  type VectorStore,
} from '@core/domain';
import { fingerprintOf, indexSettingsOf, type IndexSettings } from './identity.js';

/** What a sync needs from the outside. */
export interface IndexingPorts {
  source: Source;
  embedder: Embedder;
  embeddingCache: EmbeddingCache;
  vectorStore: VectorStore;
  manifest: ManifestStore;
  progress: ProgressReporter;
  logger: Logger;
  clock: Clock;
}

export interface SyncRequest {
  identity: RunIdentity;
  repository: Repository;
  /** Trust neither pointer nor manifest: read, chunk and store everything again. */
  fullSync: boolean;
  /** Fires on cancel, lost lease, shutdown or timeout. */
  signal: AbortSignal;
  limits: SyncLimits;
  /** Shared with the heartbeat, which stores it while the run goes on. */
  counters: RunCounters;
}

export interface SyncLimits {
  /** Blobs fetched at the same time. */
  fetchConcurrency: number;
  /** A batch is stored when it holds this many chunks or files. */
  batchChunks: number;
  batchFiles: number;
}

/** Sizes that keep a batch below a few megabytes, whatever the files. */
export const DEFAULT_SYNC_LIMITS: SyncLimits = { fetchConcurrency: 8, batchChunks: 128, batchFiles: 100 };

/** One run's working state: its request, ports, settings and counters. */
export class SyncRun {
  readonly settings: IndexSettings;
  readonly fingerprint: string;
  private totalFiles = 0;
  private processedFiles = 0;

  constructor(
    readonly request: SyncRequest,
    readonly ports: IndexingPorts,
  ) {
    this.settings = indexSettingsOf(request.repository, ports.embedder.model.id);
    this.fingerprint = fingerprintOf(this.settings);
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
    return this.request.repository.collectionName;
  }
  /** The request's counters with the source's usage so far. */
  get counters(): RunCounters {
    const usage = this.ports.source.usage();
    return Object.assign(this.request.counters, {
      sourceRequests: usage.requests,
      bytesFetched: usage.bytes,
    });
  }

  expectFiles(totalFiles: number): void {
    this.totalFiles = totalFiles;
  }

  processed(files: number): void {
    this.processedFiles += files;
  }

  report(stage: Stage, message: string, currentFile: string | null = null): void {
    this.ports.progress.report(this.identity.executionId, {
      stage,
      message,
      currentFile,
      totalFiles: this.totalFiles,
      processedFiles: Math.min(this.processedFiles, this.totalFiles),
      failedFiles: this.request.counters.filesFailed,
    });
  }
}
