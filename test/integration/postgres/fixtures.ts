import {
  connectDatabase,
  createExecutionStore,
  createGenerationStore,
  createManifestStore,
  createRepositoryStore,
  createScheduleStore,
  type Database,
} from '@adapters/postgres';
import {
  type Claim,
  type Execution,
  type ExecutionStore,
  type GenerationStore,
  type ManifestEntry,
  type ManifestStore,
  type NewRepository,
  type Repository,
  type RepositoryStore,
  type RunIdentity,
  type ScheduleStore,
} from '@core/domain';
import { activeGeneration } from '../../support/active-generation.js';
import { createTestDatabase } from '../../support/postgres.js';
import { newRepository as newRegistration } from '../../support/registration.js';
import { silentLogger } from '../../support/silent-logger.js';
import { startAttempt } from '../../support/start-attempt.js';

export interface Stores {
  url: string;
  db: Database;
  repositories: RepositoryStore;
  schedules: ScheduleStore;
  executions: ExecutionStore;
  manifest: ManifestStore;
  generations: GenerationStore;
  close(): Promise<void>;
}

/** All stores over a new database. */
export async function openStores(): Promise<Stores> {
  const database = await createTestDatabase();
  const db = await connectDatabase({ url: database.url, poolSize: 10, logger: silentLogger });
  const generations = createGenerationStore(db);
  await activeGeneration(generations, 'code');
  return {
    url: database.url,
    db,
    repositories: createRepositoryStore(db),
    schedules: createScheduleStore(db),
    executions: createExecutionStore(db),
    manifest: createManifestStore(db),
    generations,
    async close() {
      await db.close();
      await database.drop();
    },
  };
}

/** @returns the claim, or null when nothing is due. */
export async function claimOne(
  schedules: ScheduleStore,
  decide: Parameters<ScheduleStore['claimDue']>[0],
): Promise<Claim | null> {
  const [claim] = await schedules.claimDue(decide, 1);
  return claim ?? null;
}

/** Its lists contain values that a driver may encode wrongly. */
export function newRepository(changes: Partial<NewRepository> = {}): NewRepository {
  const excludeGlobs = ['**/*.lock', 'a,"b" {c}\\d'];
  return newRegistration({ collectionName: 'code', excludeGlobs, ...changes });
}

export function addRepository(stores: Stores, changes: Partial<NewRepository> = {}): Promise<Repository> {
  return stores.repositories.create(newRepository(changes));
}

export function enqueue(stores: Stores, repositoryId: string): Promise<Execution> {
  return stores.executions.enqueue({ repositoryId, trigger: 'manual', requestedBy: 'ann', fullSync: false });
}

/** Queues and starts an execution. */
export async function startRun(
  stores: Stores,
  repositoryId: string,
  podName = 'pod-1',
): Promise<RunIdentity> {
  const { id } = await enqueue(stores, repositoryId);
  return startQueued(stores, id, podName);
}

export async function startQueued(
  stores: Stores,
  executionId: string,
  podName = 'pod-1',
): Promise<RunIdentity> {
  const started = await startAttempt(stores.executions, executionId, podName);
  if (started === null) throw new Error(`execution ${executionId} did not start`);
  return { executionId, repositoryId: started.repositoryId, fence: started.fence };
}

/** Makes a running attempt look as if its pod had stopped sending heartbeats. */
export async function silence(stores: Stores, run: RunIdentity): Promise<void> {
  await stores.db.query(
    `UPDATE schedule_execution_logs SET heartbeat_at = clock_timestamp() - interval '1 hour' WHERE id = $1`,
    [run.executionId],
  );
}

export function indexedFile(path: string, changes: Partial<ManifestEntry> = {}): ManifestEntry {
  return {
    path,
    mode: '100644',
    blobSha: 'a'.repeat(40),
    fingerprint: 'f1',
    sizeBytes: 10,
    language: 'typescript',
    chunkCount: 1,
    indexedAt: new Date('2026-05-04T10:00:00.123Z'),
    skipReason: null,
    skipDetail: null,
    lastError: null,
    secretsFound: 0,
    secretDetail: null,
    ...changes,
  };
}

export async function allEntries(stores: Stores, repositoryId: string): Promise<ManifestEntry[]> {
  const entries: ManifestEntry[] = [];
  for await (const page of stores.manifest.listEntries(repositoryId)) entries.push(...page);
  return entries;
}
