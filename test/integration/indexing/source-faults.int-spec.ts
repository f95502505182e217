import { afterEach, describe, expect, it } from '@jest/globals';
import { createLexicalEmbedder } from '@adapters/embedding';
import { type StoredPoint } from '@core/domain';
import { type SyncLimits } from '@core/indexing';
import { type FaultEffect } from '@devkit';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  sourceText,
  type SyncWorld,
} from '../../support/sync-world.js';
import { Truth } from './histories/truth.js';

const FILES = 60;
const status = (code: number, more: object = {}): FaultEffect => ({ kind: 'status', status: code, ...more });

let world: SyncWorld;
let before: StoredPoint[];
afterEach(() => world.stop());

/** Makes comparison and archive worthwhile even for this small repository. */
const EAGER: Partial<SyncLimits> = { compareFromFiles: 0, archivePrice: 1000 };

/** A synced repository whose next commit edits `edited` files, deletes one and renames another. */
async function changedWorld(
  limits: Partial<SyncLimits> = {},
  edited = 12,
  requestTimeoutMs = 5_000,
): Promise<void> {
  world = await createSyncWorld({ syncLimits: { ...EAGER, ...limits }, requestTimeoutMs });
  for (let number = 0; number < FILES; number++)
    world.git.write(`src/part${number % 3}/file${number}.ts`, sourceText(`first${number}`, 12));
  await world.git.commit();
  expect(await world.sync()).toMatchObject({ status: 'completed', filesAdded: FILES });
  before = await world.points();
  for (let number = 0; number < edited; number++)
    world.git.write(`src/part${number % 3}/file${number}.ts`, sourceText(`second${number}`, 12));
  world.git.delete('src/part0/file57.ts');
  world.git.rename('src/part1/file58.ts', 'src/renamed/file58.ts');
  await world.git.commit();
}

const fail = (url: RegExp, effect: FaultEffect, when: { after?: number; times?: number } = {}) =>
  world.gitlab.faults.add({ url, effect, ...when });

/** All earlier points of unchanged files are still there, and no point is wrong. */
async function expectNothingLost(): Promise<void> {
  const after = new Set((await world.points()).map(({ id }) => id));
  const changed = new Set((await world.tree('HEAD')).map(({ path, sha }) => `${path} ${sha}`));
  const lost = before.filter((point) => !after.has(point.id));
  // A batch stored before the failure has replaced the points of its files; no other point may be missing.
  expect(lost.filter((point) => changed.has(`${point.path} ${point.blob_sha}`))).toEqual([]);
  expect(lost.filter((point) => !changedPaths().has(point.path))).toEqual([]);
  expect(await new Truth(world, createLexicalEmbedder()).falsePoints()).toEqual([]);
}
function changedPaths(): Set<string> {
  return new Set(Array.from({ length: 12 }, (_, number) => `src/part${number % 3}/file${number}.ts`));
}

async function expectRecovery(): Promise<void> {
  world.gitlab.faults.clear();
  for (const { id } of (await world.executions.list({ status: ['queued'] }, { limit: 10, offset: 0 })).items)
    await world.executions.requestCancel(id);
  expect(await world.sync()).toMatchObject({ status: 'completed' });
  expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
}

// fault-matrix/ tests each response of each endpoint.
describe('when GitLab refuses requests', () => {
  const EVERYTHING = /api\//;

  it('a long rate limit requeues the run until the limit ends', async () => {
    await changedWorld();
    const now = Date.now();
    fail(EVERYTHING, status(429, { retryAfterSeconds: 900 }));
    const run = await world.sync();
    expect(run.availableAt!.getTime()).toBeGreaterThanOrEqual(now + 899_000);
    expect(world.gitlab.requests).toHaveLength(1);
  });

  it('a short rate limit is waited for within the run', async () => {
    await changedWorld();
    fail(EVERYTHING, status(429, { retryAfterSeconds: 2 }), { after: 1, times: 1 });
    expect(await world.sync()).toMatchObject({ status: 'completed' });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('a missing project deletes nothing, and the index is correct when the project is back', async () => {
    await changedWorld();
    world.project.hidden = true;
    expect(await world.sync()).toMatchObject({ status: 'failed', errorCode: 'project_not_found' });
    expect(await world.points()).toEqual(before);
    world.project.hidden = false;
    await expectRecovery();
  });
});

describe('a failure during a run keeps the index correct', () => {
  it.each<[string, Partial<SyncLimits>, RegExp]>([
    ['an archive', { archivePrice: -1000 }, /repository\/archive/],
    ['batches', {}, /api\/graphql/],
    ['blobs', { batchFromFiles: 1000 }, /repository\/blobs/],
  ])('when the token expires while reading %s', async (_, limits, url) => {
    await changedWorld(limits);
    // The comparison looks up its blobs with one GraphQL query; the token expires after it.
    fail(url, status(401), {
      after: url.source.includes('blobs') ? 5 : url.source.includes('graphql') ? 1 : 0,
    });
    expect(await world.sync()).toMatchObject({ status: 'failed', errorCode: 'source_token_rejected' });
    await expectNothingLost();
    await expectRecovery();
  });

  it('when the project disappears while its blobs are read', async () => {
    await changedWorld({ batchFromFiles: 1000 });
    fail(/repository\/blobs/, status(404), { after: 3 });
    fail(/projects\/\d+$/, status(404));
    expect(await world.sync()).toMatchObject({ status: 'failed', errorCode: 'project_not_found' });
    await expectNothingLost();
    await expectRecovery();
  });

  it('when the host is down for every blob', async () => {
    await changedWorld({ batchFromFiles: 1000 }, 30);
    fail(/repository\/blobs/, status(503));
    expect(await world.sync()).toMatchObject({ status: 'queued', errorCode: 'too_many_file_failures' });
    await expectNothingLost();
    await expectRecovery();
  });

  it('when the host is down for every blob, and up at the next attempt', async () => {
    // Small batches: the failures of the first attempt outnumber the first batches of the second.
    await changedWorld({ batchFromFiles: 1000, batchFiles: 10 }, 60);
    const healed = fail(/repository\/blobs/, status(503));
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'queued', errorCode: 'too_many_file_failures' });
    expect(run.filesFailed).toBeLessThan(60);
    expect((await world.repository()).lastSyncedCommit).not.toBe(await world.git.head());
    healed();
    expect(await world.runQueued(run.id)).toMatchObject({ status: 'completed', attempt: 2 });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it.each([
    [50, 'partial', 'files_failed'],
    [45, 'queued', 'too_many_file_failures'],
    [100, 'partial', 'files_failed'],
  ])('when half of the blobs fail (limit %i percent)', async (maxFailedPercent, status, errorCode) => {
    await changedWorld({ batchFromFiles: 1000, maxFailedPercent, fetchConcurrency: 1 }, 40);
    fail(/repository\/blobs/, { kind: 'corrupt' }, { times: 20 });
    const failed = await world.sync();
    expect(failed).toMatchObject({ status, errorCode, filesFailed: 20 });
    await expectRecovery();
  });
});

// The fault matrix plays what every endpoint can answer; these faults have a meaning for one of them only.
describe('a fetch strategy that is refused or fails', () => {
  it.each<[string, FaultEffect]>([
    ['cut', { kind: 'cut', afterBytes: 500 }],
    ['truncated without an error', { kind: 'truncate', keepBytes: 500 }],
    ['corrupt', { kind: 'corrupt' }],
  ])('an archive that is %s is replaced by other requests', async (_, effect) => {
    await changedWorld({ archivePrice: -1000 });
    fail(/repository\/archive/, effect);
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'completed', filesModified: 12, filesFailed: 0 });
    expect(run.fetchStrategy).toMatch(/^head 1, compare 1, graphql [12], tree 1, archive [12]$/);
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('an archive that arrives too slowly is abandoned', async () => {
    await changedWorld({ archivePrice: -1000 }, 12, 40);
    fail(/repository\/archive/, { kind: 'drip', chunkBytes: 1, everyMs: 10 });
    expect(await world.sync()).toMatchObject({ status: 'completed', filesModified: 12 });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('an archive is requested at most twice, because a project allows five a minute', async () => {
    await changedWorld({ archivePrice: -1000, batchFromFiles: 1000 });
    fail(/repository\/archive/, { kind: 'cut', afterBytes: 500 });
    expect(await world.sync()).toMatchObject({ status: 'completed' });
    expect(world.gitlab.requests.filter(({ path }) => path.includes('/archive'))).toHaveLength(2);
  });

  it.each<[string, FaultEffect]>([
    ['cut', { kind: 'cut', afterBytes: 50 }],
    ['a list of errors', status(200, { body: { errors: [{ message: 'Timeout on Repository.blobs' }] } })],
    ['empty', status(200, { body: { data: { project: null } } })],
  ])('a batch that is %s is read blob by blob', async (_, effect) => {
    await changedWorld({ compareFromFiles: FILES * 2 });
    fail(/graphql/, effect);
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'completed', filesModified: 12, filesFailed: 0 });
    expect(run.fetchStrategy).toMatch(/blobs 12$/);
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it.each<[string, FaultEffect]>([
    ['truncated', { kind: 'truncate', keepBytes: 50 }],
    ['without any change', status(200, { body: { diffs: [], compare_timeout: false } })],
    ['without some of the changes', status(200, { body: { diffs: [oneDiff()], compare_timeout: false } })],
    ['of unknown completeness', status(200, { body: { diffs: [] } })],
  ])('a comparison that is %s is ignored', async (_, effect) => {
    await changedWorld();
    fail(/compare/, effect);
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'completed', filesModified: 12, filesRenamed: 1, filesDeleted: 1 });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('a comparison that omits changes, or starts at a missing commit, is ignored', async () => {
    await changedWorld();
    world.gitlab.settings.diffLimits.maxFiles = 5;
    expect(await world.sync()).toMatchObject({
      status: 'completed',
      fetchStrategy: 'head 1, compare 1, tree 2, graphql 1',
    });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
    await world.git.checkout('fresh');
    world.git.write('src/part0/file0.ts', sourceText('first0', 12));
    await world.git.commit();
    await world.git.branch('main', 'fresh');
    await world.git.checkout('main');
    await world.git.deleteBranch('fresh');
    await world.git.dropUnreachable();
    expect(await world.sync()).toMatchObject({
      status: 'completed',
      fetchStrategy: 'head 1, compare 1, tree 2, blobs 1',
    });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });

  it('a corrupt blob fails only its file, and the next run reads only that file', async () => {
    await changedWorld({ batchFromFiles: 1000 });
    fail(/repository\/blobs/, { kind: 'corrupt' }, { after: 4, times: 1 });
    const run = await world.sync();
    expect(run).toMatchObject({ status: 'partial', filesFailed: 1, filesModified: 11 });
    const { items } = await world.manifest.listFiles(
      world.repositoryId,
      { status: 'failed' },
      { limit: 9, offset: 0 },
    );
    expect(items.map(({ lastError }) => lastError?.split(':')[0])).toEqual(['blob_sha_mismatch']);
    const kept = new Set((await world.points()).map(({ id }) => id));
    const former = before.filter(({ path }) => path === items[0]?.path);
    expect(former.every(({ id }) => kept.has(id))).toBe(true);
    // The head is unchanged, so only the failed file is looked up and read.
    const again = await world.sync();
    expect(again).toMatchObject({
      status: 'completed',
      filesProcessed: 1,
      fetchStrategy: 'head 1, graphql 1, tree 1, blobs 1',
    });
    expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
  });
});

function oneDiff(): object {
  const path = 'src/part0/file0.ts';
  const flags = { new_file: false, renamed_file: false, deleted_file: false };
  return { diff: '', old_path: path, new_path: path, a_mode: '100644', b_mode: '100644', ...flags };
}
