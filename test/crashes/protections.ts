import { type CrashPoint } from './pod.js';

/** One line of the code that protects against crashes, and a crash that shows what it is for. */
export interface Protection {
  file: string;
  /** The part of the line that is left out; its last occurrence. */
  line: string;
  scenario: string;
  point: CrashPoint;
  /** Part of what the matrix then reports. */
  shows: string;
}

export const PROTECTIONS: readonly Protection[] = [
  {
    file: 'libs/core/indexing/src/sync-repository.ts',
    line: 'await ports.manifest.markDirty(run.identity, run.ruleWarnings);',
    scenario: 'sync',
    point: { step: 'VectorStore.upsert', side: 'after', nth: 1 },
    shows: 'index_repaired',
  },
  {
    file: 'libs/core/indexing/src/store/embed-batch.ts',
    line: 'if (fresh.length > 0) await embeddingCache.store(run.modelId, new Map(fresh));',
    scenario: 'first sync',
    point: { step: 'VectorStore.upsert', side: 'before', nth: 3 },
    shows: 'Expected: <= 2',
  },
  {
    file: 'libs/core/indexing/src/plan/plan.ts',
    line: ' && row.executionId !== run.identity.executionId',
    scenario: 'full sync',
    point: { step: 'Manifest.commitBatch', side: 'after', nth: 2 },
    shows: 'Expected: <=',
  },
  {
    file: 'libs/core/indexing/src/store/find-drift.ts',
    line: 'await recordDrift(run, drift);',
    scenario: 'damaged store',
    point: { step: 'Manifest.markDirty', side: 'after', nth: 1 },
    shows: 'index_repaired',
  },
  {
    file: 'apps/server/src/discoveries/discovery-runner.service.ts',
    line: 'await this.store.recover(this.config.lease.ttlSeconds);',
    scenario: 'discovery',
    point: { step: 'DiscoveryStore.register', side: 'after', nth: 1 },
    shows: 'Work is left',
  },
];
