import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DryRunReport } from '@core/domain';
import { createIndexWorld, PROJECT, runToItsEnd, type IndexWorld } from '../support/index-world.js';
import { type Service } from '../support/installation.js';
import {
  executionThat,
  isOver,
  register,
  type List,
  type RepositoryRow,
} from '../support/service-resources.js';

const FILES = ['README.md', 'src/alpha.ts', 'src/beta.ts', 'src/gamma.ts'];
const NOTHING = { files: 0, first_paths: [] };

let world: IndexWorld;
let service: Service;
let repository: RepositoryRow;

beforeAll(async () => {
  world = await createIndexWorld();
  for (const path of FILES) world.git.write(path, `// ${path}\n`.repeat(40));
  world.git.write('image.png', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
  world.git.write('dist/out.js', 'run();\n');
  await world.git.commit('Files');
  service = await world.installation.serve();
  repository = await register(service, PROJECT);
});
afterAll(() => world?.remove());

const sync = (body?: object) => runToItsEnd(service, `/api/v1/repositories/${repository.id}/sync`, body);

/** Makes a dry run and expects that it changed nothing else. */
async function plan(body: object = {}): Promise<DryRunReport> {
  const [before, embedded] = [await world.indexState(), world.embedding.requests.length];
  const row = await sync({ dry_run: true, ...body });
  expect(row).toMatchObject({
    status: 'completed',
    handler: 'dry_run',
    trigger: 'manual',
    error_code: null,
    embedding_tokens: 0,
    chunks_upserted: 0,
    files_added: 0,
  });
  expect(await world.indexState()).toEqual(before);
  expect(world.embedding.requests.length).toBe(embedded);
  expect(row.report?.kind).toBe('dry_run');
  return row.report as DryRunReport;
}

describe('a dry run', () => {
  it('reports what a first sync would do, and changes nothing', async () => {
    const report = await plan();
    expect(report).toMatchObject({
      from_commit: null,
      to_commit: await world.git.head(),
      is_in_sync: false,
      fetched: { files: 5, first_paths: expect.arrayContaining(FILES) },
      copied: NOTHING,
      deleted: NOTHING,
      skipped: { files: 1, first_paths: ['dist/out.js'] },
      chunks_copied: 0,
      chunks_deleted: 0,
      certainty: { embedding_tokens: 'estimated', chunks_deleted: 'exact' },
    });
    expect(report.embedding_tokens).toBeGreaterThan(0);
  });

  it('reports exactly what the sync then does, and nothing after it', async () => {
    const promised = await plan();
    const done = await sync();
    expect(done).toMatchObject({ status: 'completed', report: null, files_added: 4 });
    expect(done.to_commit).toBe(promised.to_commit);
    expect(done.embedding_tokens).toBeGreaterThan(0);
    expect(await plan()).toMatchObject({
      is_in_sync: true,
      from_commit: promised.to_commit,
      fetched: NOTHING,
      embedding_tokens: 0,
      certainty: { embedding_tokens: 'exact', fetch_requests: 'exact', bytes_fetched: 'exact' },
    });
  });

  it('counts a change, a rename and a deletion exactly', async () => {
    const former = await plan();
    world.git.write('src/alpha.ts', '// other words\n'.repeat(40));
    world.git.delete('src/beta.ts').delete('src/gamma.ts');
    world.git.write('src/moved.ts', '// src/beta.ts\n'.repeat(40));
    await world.git.commit('Changes');
    const report = await plan();
    expect(report).toMatchObject({
      fetched: { files: 1, first_paths: ['src/alpha.ts'] },
      copied: { files: 1, first_paths: ['src/moved.ts'] },
      deleted: { files: 2, first_paths: ['src/beta.ts', 'src/gamma.ts'] },
      chunks_copied: 1,
      chunks_deleted: 3,
    });
    expect(Object.keys(report).sort()).toEqual(Object.keys(former).sort());
    const done = await sync();
    expect(done).toMatchObject({ files_added: 0, files_modified: 1, embeddings_requested: 1 });
    expect(done).toMatchObject({ chunks_deleted: report.chunks_deleted });
  });

  it('plans a full sync of every file, even when the index is up to date', async () => {
    expect(await plan({ full: true })).toMatchObject({
      is_in_sync: false,
      fetched: { files: 4 },
      certainty: { chunks_deleted: 'estimated' },
    });
  });

  it('runs beside a sync of the repository, and neither waits for the other', async () => {
    world.git.write('src/delta.ts', '// delta\n'.repeat(40));
    await world.git.commit('One more');
    const release = world.embedding.faults.add({ method: 'POST', effect: { kind: 'stall' } });
    const started = await service.post<{ execution_id: string }>(
      `/api/v1/repositories/${repository.id}/sync`,
    );
    await executionThat(service, started.execution_id, ({ status }) => status === 'running');
    const row = await sync({ dry_run: true });
    expect(row).toMatchObject({ status: 'completed', report: { fetched: { files: 1 } } });
    await service.post(`/api/v1/executions/${started.execution_id}/cancel`);
    await executionThat(service, started.execution_id, isOver);
    release();
  });

  it('fails as the sync would', async () => {
    const clear = world.gitlab.faults.add({ effect: { kind: 'status', status: 401 } });
    const planned = await sync({ dry_run: true });
    const synced = await sync();
    clear();
    expect(planned).toMatchObject({ status: 'failed', report: null, error_code: synced.error_code });
    expect(synced.status).toBe('failed');
  });

  it('is recorded, and requires the same role as a sync', async () => {
    const path = `/api/v1/repositories/${repository.id}/sync`;
    const { token } = await service.post<{ token: string }>('/api/v1/tokens', {
      name: 'reader',
      role: 'viewer',
    });
    expect(await service.call('POST', path, { dry_run: true }, token)).toMatchObject({ status: 403 });
    const wrong = await service.call('POST', path, { dry_run: 'yes', max_embedding_tokens: 0 });
    expect(wrong).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    const { items } = await service.get<List<Record<string, unknown>>>(
      `/api/v1/audit?subject_id=${repository.id}&action=repository.sync&limit=100`,
    );
    expect(items).toContainEqual(
      expect.objectContaining({ outcome: 'succeeded', changes: { dry_run: true } }),
    );
  });
});
