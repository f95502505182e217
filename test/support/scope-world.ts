import { randomUUID } from 'node:crypto';
import { GenerationStore, ProgressStore, Embedder, VectorStore } from '@core/domain';
import { termsOf } from '@core/search';
import { activeGeneration } from './active-generation.js';
import { type TestApi } from './api-app.js';

/** A repository with rows of every kind, all of which contain its marker. */
export interface MarkedRepository {
  id: string;
  group: string;
  marker: string;
  baseUrl: string;
  projectPath: string;
  collectionName: string;
  scheduleId: string;
  executionIds: string[];
  /** The ids of all its rows. */
  ids: string[];
}

export interface ScopeWorld {
  /** The current paths. */
  repositories: MarkedRepository[];
  /** Moves a project of alpha or beta to the other group. */
  move(which: number): Promise<void>;
  /** Moves all projects back. */
  reset(): Promise<void>;
}

const GROUPS = ['alpha', 'beta', 'gamma', 'omega'];
const signal = new AbortController().signal;

/** Three repositories in each of four groups, in collections of their own. */
export async function makeScopeWorld(api: TestApi): Promise<ScopeWorld> {
  const repositories: MarkedRepository[] = [];
  for (const group of GROUPS)
    for (const name of ['one', 'two', 'common'])
      repositories.push(await plant(api, group, `${name}-mark${group}${name}zq`));
  const place = async (repository: MarkedRepository, group: string): Promise<void> => {
    repository.projectPath = `${group}/${repository.projectPath.split('/')[1]}`;
    const values = [repository.id, repository.projectPath];
    await api.database.query('UPDATE repositories SET project_path = $2 WHERE id = $1', values);
  };
  return {
    repositories,
    async move(which) {
      const repository = repositories[which]!;
      await place(repository, repository.projectPath.startsWith('alpha/') ? 'beta' : 'alpha');
    },
    async reset() {
      for (const repository of repositories) await place(repository, repository.group);
    },
  };
}

async function plant(api: TestApi, group: string, name: string): Promise<MarkedRepository> {
  const marker = name.slice(name.indexOf('-') + 1);
  const collectionName = `collection-${marker}`;
  const { id, baseUrl, projectPath, branch } = await api.register({
    projectPath: `${group}/${name}`,
    branch: `branch-${marker}`,
    collectionName,
    includeGlobs: [`${marker}/**`],
  });
  const [schedule] = await api.database.query<{ id: string }>(
    `INSERT INTO schedule_sessions (repository_id, cron_expression, timezone, is_active, misfire_grace_seconds)
      VALUES ($1, '0 0 29 2 *', 'UTC', true, 300) RETURNING id`,
    [id],
  );
  const executions = await api.database.query<{ id: string; status: string }>(
    `INSERT INTO schedule_execution_logs (repository_id, schedule_session_id, scheduled_for, trigger, status, queued_at,
        completed_at, duration_seconds, error_code, error_message)
      SELECT $1, $2, now() - n * interval '1 hour', 'cron', (ARRAY['completed', 'failed', 'queued'])[n],
        now() - interval '1 hour', CASE WHEN n < 3 THEN now() END, CASE WHEN n < 3 THEN n END,
        CASE WHEN n = 2 THEN 'code_' || $3 END, CASE WHEN n = 2 THEN 'message ' || $3 END
      FROM generate_series(1, 3) AS n RETURNING id, status`,
    [id, schedule!.id, marker],
  );
  const executionIds = executions.map((execution) => execution.id);
  await plantContents(api, { id, marker, collectionName, projectPath, branch, executionIds });
  const ids = [id, schedule!.id, ...executionIds];
  return {
    id,
    group,
    marker,
    baseUrl,
    projectPath,
    collectionName,
    scheduleId: schedule!.id,
    executionIds,
    ids,
  };
}

interface Contents {
  id: string;
  marker: string;
  collectionName: string;
  projectPath: string;
  branch: string;
  executionIds: string[];
}

/** Files, folders, a failed file, a live task and a point. */
async function plantContents(api: TestApi, contents: Contents): Promise<void> {
  const { id, marker, collectionName, projectPath, branch, executionIds } = contents;
  const generation = await activeGeneration(api.get(GenerationStore), collectionName);
  const values = [id, generation.id, `${marker}/file.ts`];
  await api.database.query(
    `INSERT INTO repository_files (repository_id, generation_id, path, mode, blob_sha, fingerprint, chunk_count)
      VALUES ($1, $2, $3, '100644', repeat('a', 40), 'f', 1)`,
    values,
  );
  await api.database.query(
    `INSERT INTO execution_file_errors (execution_id, path, status, error_code) VALUES ($1, $2, 'failed', 'code')`,
    [executionIds[0], `${marker}/bad.ts`],
  );
  await api.get(ProgressStore).save({
    ...{
      taskId: executionIds[2]!,
      userId: 'test-viewer',
      collectionName,
      status: 'initializing',
      progress: 0,
    },
    ...{ currentStep: marker, totalSteps: 7, currentStepNumber: 1, message: marker, error: null },
    ...{ repositoryPath: projectPath, branch, totalFiles: 1, processedFiles: 0, currentFile: marker },
    ...{
      failedFiles: 0,
      createdAt: new Date(),
      updatedAt: new Date(),
      cancelled: false,
      stages: [],
      filesPerSecond: null,
      etaSeconds: null,
    },
  });
  await plantPoint(api, contents, generation.physicalName);
}

async function plantPoint(
  api: TestApi,
  { id, marker, projectPath, branch }: Contents,
  physicalName: string,
): Promise<void> {
  const embedder = api.get(Embedder);
  const text = `export const ${marker} = 'the example of a value';`;
  const [vector] = (await embedder.embed([text], 'document', signal)) as Float32Array[];
  const { id: modelId, dimensions } = embedder.model;
  const vectors = api.get(VectorStore);
  await vectors.ensureCollection({ name: physicalName, dimensions, modelId }, signal);
  const payload = {
    ...{
      repository_id: id,
      project_path: projectPath,
      branch,
      path: `${marker}/file.ts`,
      directories: [marker],
    },
    ...{ language: 'typescript', chunk_index: 0, start_line: 1, end_line: 1, blob_sha: 'a'.repeat(40) },
    ...{ file_version: 'v1', content_hash: marker.padEnd(64, 'h'), commit: 'c'.repeat(40), fence: 1, text },
  };
  await vectors.upsert(
    physicalName,
    [{ id: randomUUID(), vector: vector!, terms: termsOf(payload), payload }],
    signal,
  );
}
