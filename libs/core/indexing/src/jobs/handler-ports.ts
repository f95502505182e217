import {
  type BudgetStore,
  type Embedders,
  type GenerationStore,
  type ManifestStore,
  type SourceFactory,
} from '@core/domain';
import { type IndexingPorts, type SyncLimits, type SyncRequest } from '../run/sync-run.js';

/** What handlers may use; a run's source is opened by the handler that needs one. */
export interface HandlerPorts extends Omit<IndexingPorts, 'source' | 'embedder' | 'manifest'> {
  embedders: Embedders;
  generations: GenerationStore;
  manifest: ManifestStore;
  sources: SourceFactory;
  repositories: { markPurged(repositoryId: string): Promise<void> };
  budgets: BudgetStore;
  /** Null: dry runs have no cost estimate. */
  embeddingPricePerMillionTokens: number | null;
  fetchConcurrency: number;
  secretsPolicy: SyncRequest['secretsPolicy'];
  /** Other limits than the default ones. */
  syncLimits?: Partial<SyncLimits>;
}
