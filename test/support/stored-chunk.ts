import { createHash } from 'node:crypto';
import {
  Embedders,
  type IndexGeneration,
  type PointPayload,
  type Repository,
  VectorStore,
} from '@core/domain';
import { termsOf } from '@core/search';
import { type TestApi } from './api-app.js';

const signal = new AbortController().signal;

/** Stores a file of one chunk, as a run does; a second text at the same path replaces the first one. */
export async function storeChunk(
  api: TestApi,
  generation: IndexGeneration,
  repository: Repository,
  file: { path: string; text: string },
): Promise<void> {
  const embedder = api.get(Embedders).find(generation)!;
  const [vector] = (await embedder.embed([file.text], 'document', signal)) as Float32Array[];
  const payload: PointPayload = {
    ...{
      ...file,
      repository_id: repository.id,
      project_path: repository.projectPath,
      branch: repository.branch,
    },
    ...{ directories: [], language: 'markdown', chunk_index: 0, start_line: 1, end_line: 3, fence: 1 },
    ...{ blob_sha: 'b'.repeat(40), file_version: 'v1', commit: 'c'.repeat(40) },
    content_hash: createHash('sha256').update(file.text).digest('hex'),
  };
  const { physicalName: name, modelId, dimensions } = generation;
  const vectors = api.get(VectorStore);
  await vectors.ensureCollection({ name, dimensions, modelId }, signal);
  const id = createHash('sha256').update(`${repository.id} ${file.path}`).digest('hex');
  const uuid = `${id.slice(0, 8)}-${id.slice(8, 12)}-4${id.slice(13, 16)}-8${id.slice(17, 20)}-${id.slice(20, 32)}`;
  await vectors.upsert(name, [{ id: uuid, vector: vector!, terms: termsOf(payload), payload }], signal);
}
