import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type DryRunReport, type Execution } from '@core/domain';
import { type SyncLimits } from '@core/indexing';
import { createSyncWorld, sourceText, type SyncOptions, type SyncWorld } from '../../support/sync-world.js';
import { startAttempt } from '../../support/start-attempt.js';

let world: SyncWorld;
beforeEach(async () => {
  world = await createSyncWorld();
  world.git.writeAll({
    '.repotideignore': 'ignored/\n',
    'ignored/notes.md': '# Notes\n',
    'src/alpha.ts': sourceText('alpha', 40),
    'src/beta.ts': sourceText('beta', 40),
    'src/copy-of-beta.ts': sourceText('beta', 40),
    'src/gamma.ts': sourceText('gamma', 40),
  });
  await world.git.commit();
});
afterEach(() => world.stop());

async function dryRun(options: SyncOptions = {}): Promise<DryRunReport> {
  const before = await stateOfEverything();
  const run = await world.run('dry_run', options);
  expect(run).toMatchObject({
    status: 'completed',
    errorCode: null,
    chunksUpserted: 0,
    embeddingsRequested: 0,
  });
  expect(await stateOfEverything()).toEqual(before);
  return run.report as DryRunReport;
}

/** A dry run, followed by the sync that it predicts. */
async function expectKept(way: string, options: SyncOptions = {}): Promise<Execution> {
  const said = await dryRun(options);
  const done = await world.sync(options);
  expect(done).toMatchObject({ status: 'completed', toCommit: said.to_commit, fromCommit: said.from_commit });
  expect(said.fetch_way).toBe(way);
  expect(done.fetchStrategy).toContain(`${way} `);
  expect({
    requests: said.plan_requests + said.fetch_requests,
    changed: said.fetched.files + said.copied.files,
    removed: said.deleted.files,
    embedded: said.chunks_embedded,
    chunksRemoved: said.chunks_deleted,
  }).toEqual({
    requests: done.sourceRequests,
    changed: done.filesAdded + done.filesModified + done.filesRenamed,
    removed: done.filesDeleted + done.filesRenamed,
    embedded: done.embeddingsRequested,
    chunksRemoved: done.chunksDeleted,
  });
  // The chunk borders are known only after reading, so the estimate assumes full overlap.
  expect(said.embedding_tokens).toBeGreaterThanOrEqual(done.embeddingTokens);
  expect(said.embedding_tokens).toBeLessThan(done.embeddingTokens * 1.05);
  return done;
}

/** Everything that a dry run must not change. */
async function stateOfEverything(): Promise<unknown[]> {
  const counted = ['repository_folders', 'embedding_cache', 'vector_points', 'vector_collections'].map(
    async (table) => world.database.query(`SELECT count(*) AS count FROM ${table}`),
  );
  const repository = await world.database.query('SELECT * FROM repositories');
  return [await world.entries(), await world.points(), repository, ...(await Promise.all(counted))];
}

describe('a dry run', () => {
  it('reports files, requests, chunks and tokens of a first sync, and writes nothing', async () => {
    const report = await dryRun();
    expect(report).toMatchObject({
      from_commit: null,
      to_commit: await world.git.head(),
      is_in_sync: false,
      fetched: { files: 5, first_paths: expect.arrayContaining(['src/alpha.ts']) as never },
      copied: { files: 0, first_paths: [] },
      deleted: { files: 0, first_paths: [] },
      skipped: { files: 1, first_paths: ['ignored/notes.md'] },
      fetch_way: 'graphql',
      plan_requests: 4,
      fetch_requests: 1,
      certainty: { bytes_fetched: 'estimated', embedding_tokens: 'estimated', chunks_deleted: 'exact' },
      estimated_from: expect.stringContaining('8192 bytes, the usual size of source code') as never,
    });
    expect(report.embedding_tokens).toBeGreaterThan(0);

    const run = await world.sync();
    expect(run).toMatchObject({ status: 'completed', filesAdded: 5, filesSkipped: 1 });
    expect(run.sourceRequests).toBe(report.plan_requests + report.fetch_requests);
  });

  it('makes one request for a synced repository and reports no changes', async () => {
    await world.sync();
    const report = await dryRun();
    expect(report).toMatchObject({
      is_in_sync: true,
      plan_requests: 1,
      embedding_tokens: 0,
    });
    expect(report.certainty).toMatchObject({ embedding_tokens: 'exact', fetch_requests: 'exact' });
  });

  it('distinguishes an edit, a rename and a deletion, with the sizes of the manifest', async () => {
    await world.sync();
    const chunksOf = async (path: string) => (await world.points()).filter((p) => p.path === path).length;
    const [alpha, gamma, beta] = await Promise.all(
      ['src/alpha.ts', 'src/gamma.ts', 'src/beta.ts'].map(chunksOf),
    );
    world.git.write('src/alpha.ts', `${sourceText('alpha', 40)}// more\n`);
    world.git.rename('src/gamma.ts', 'lib/gamma.ts');
    world.git.delete('src/beta.ts');
    await world.git.commit();
    const report = await dryRun();
    expect(report).toMatchObject({
      fetched: { files: 1, first_paths: ['src/alpha.ts'] },
      copied: { files: 1, first_paths: ['lib/gamma.ts'] },
      deleted: { files: 2, first_paths: ['src/beta.ts', 'src/gamma.ts'] },
      fetch_way: 'blobs',
      chunks_embedded: alpha,
      chunks_copied: gamma,
      chunks_deleted: alpha! + beta! + gamma!,
    });
    expect(report.estimated_from).toContain('1 content(s) as large as their file was before');
    const run = await world.sync();
    expect(run).toMatchObject({ chunksDeleted: report.chunks_deleted, filesModified: 1, filesRenamed: 1 });
    expect(run.embeddingTokens).toBeLessThanOrEqual(report.embedding_tokens);
  });

  it('reports every file for a full sync', async () => {
    await world.sync();
    const report = await dryRun({ fullSync: true });
    expect(report).toMatchObject({ is_in_sync: false, fetched: { files: 5 } });
    expect(report.chunks_embedded).toBe(
      (await world.points()).filter(({ path }) => !path.includes('copy-of')).length,
    );
  });

  it.each<[string, Partial<SyncLimits>]>([
    ['blobs', { batchFromFiles: Infinity, archivePrice: Infinity }],
    ['graphql', { archivePrice: Infinity }],
    ['archive', { archivePrice: -1_000 }],
  ])('predicts the exact numbers of the following sync, which reads by %s', async (way, limits) => {
    world.setLimits(limits);
    world.git.write('src/delta.ts', sourceText('delta', 40));
    await world.git.commit();
    await world.sync();
    // The length is the same, so that sizes are known.
    world.git.write('src/alpha.ts', sourceText('ahpla', 40));
    world.git.write('src/beta.ts', sourceText('ateb', 40));
    world.git.write('src/delta.ts', sourceText('gamma', 40));
    world.git.rename('src/gamma.ts', 'lib/gamma.ts');
    world.git.delete('src/copy-of-beta.ts');
    await world.git.commit();
    const push = await expectKept(way);
    expect(push).toMatchObject({ filesRenamed: 1, filesDeleted: 1 });
    await world.database.query('DELETE FROM embedding_cache');
    const full = await expectKept(way, { fullSync: true });
    expect(full).toMatchObject({ filesModified: 5, filesSkipped: 1 });
  });

  it('runs at the same time as a sync of the same repository, and blocks no sync', async () => {
    const request = { repositoryId: world.repositoryId, requestedBy: null, fullSync: false } as const;
    const sync = await world.executions.enqueue({ ...request, trigger: 'manual' });
    const held = await world.leases.acquire({ ...request, executionId: sync.id, fence: 1 });
    const started = await startAttempt(world.executions, sync.id, 'other-pod');
    expect(started).not.toBeNull();
    expect((await world.run('dry_run')).status).toBe('completed');
    await held!.release();

    const waiting = await world.executions.enqueue({ ...request, trigger: 'manual', handler: 'dry_run' });
    await world.executions.finish(started!, {
      ...{ status: 'cancelled', fromCommit: null, toCommit: null, errorCode: null, errorMessage: null },
      counters: sync,
    });
    expect(await world.sync()).toMatchObject({ status: 'completed' });
    expect((await world.runQueued(waiting.id)).status).toBe('completed');
  });
});
