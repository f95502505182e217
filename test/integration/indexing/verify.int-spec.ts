import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Point, type VerifyReport } from '@core/domain';
import { termsOf } from '@core/search';
import { roundedTerms } from '../../support/rounded-terms.js';
import { VECTOR_STORES } from '../../support/vector-stores.js';
import {
  createSyncWorld,
  findDifferences,
  NO_DIFFERENCES,
  sourceText,
  type SyncWorld,
} from '../../support/sync-world.js';

const signal = new AbortController().signal;
let world: SyncWorld;

beforeEach(async () => {
  world = await createSyncWorld();
  world.git.writeAll({
    'README.md': '# App\n\nWords about the app.\n',
    'image.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 1]),
    'src/alpha.ts': sourceText('alpha', 40),
    'src/beta.ts': sourceText('beta', 40),
    'src/emoji.ts': `// ${'\u{1F600}'.repeat(900)}\n`,
  });
  world.git.symlink('link.ts', 'src/alpha.ts');
  world.git.submodule('vendor/lib', 'b'.repeat(40));
  await world.git.commit();
  expect(await world.sync()).toMatchObject({ status: 'completed' });
});
afterEach(() => world.stop());

const NOTHING = { files: 0, first_paths: [] };
const NO_FAULT = {
  files_missing: NOTHING,
  files_stale: NOTHING,
  files_extra: NOTHING,
  files_failed: NOTHING,
  points_missing: 0,
  points_stale: 0,
  points_doubled: 0,
  points_changed: 0,
  points_without_terms: 0,
  points_in: NOTHING,
};

async function pointsOf(path: string): Promise<Point[]> {
  const version = (await world.points()).find((point) => point.path === path)!.file_version;
  return world.vectorStore.readFile(
    await world.collection(),
    { repositoryId: world.repositoryId, path },
    version,
    signal,
  );
}

async function store(...points: Point[]): Promise<void> {
  await world.vectorStore.upsert(await world.collection(), points, signal);
}

/** The damage is reported, one repair fixes it, and the next check finds nothing. */
async function expectFoundAndRepaired(found: Partial<VerifyReport>, damagedPoints: number): Promise<void> {
  const before = await world.run('verify');
  expect(before).toMatchObject({ status: 'failed', errorCode: 'index_differs' });
  expect(before.report).toMatchObject({ kind: 'verify', is_equal: false, ...NO_FAULT, ...found });
  expect((await world.points()).length).toBe(damagedPoints);
  expect(await world.repository()).toMatchObject({ lastDrift: driftOf(found) });

  const repair = await world.run('repair');
  expect(repair).toMatchObject({ status: 'completed', errorCode: 'index_repaired' });
  expect(repair.report).toMatchObject({ ...NO_FAULT, ...found, is_equal: false });
  expect(repair.report).toMatchObject({ after_repair: { is_equal: true, ...NO_FAULT } });

  const after = await world.run('verify');
  expect(after).toMatchObject({ status: 'completed', errorCode: null });
  expect(after.report).toMatchObject({ is_equal: true, ...NO_FAULT, after_repair: null });
  expect(await world.repository()).toMatchObject({ lastVerifiedAt: expect.any(Date), lastDrift: null });
  expect(await findDifferences(world)).toEqual(NO_DIFFERENCES);
}

/** The numbers that the repository shows. */
function driftOf(found: Partial<VerifyReport>): { files: number; points: number } {
  const { files_missing, files_stale, files_extra } = { ...NO_FAULT, ...found };
  const { points_missing, points_stale, points_doubled, points_changed } = { ...NO_FAULT, ...found };
  return {
    files: files_missing.files + files_stale.files + files_extra.files,
    points: points_missing + points_stale + points_doubled + points_changed,
  };
}

describe.each(VECTOR_STORES)('points whose terms were lost, in the %s store,', (vectors) => {
  beforeEach(async () => {
    await world.stop();
    world = await createSyncWorld({ vectors });
    for (const name of ['alpha', 'beta']) world.git.write(`src/${name}.ts`, sourceText(name, 40));
    await world.git.commit();
    expect(await world.sync()).toMatchObject({ status: 'completed' });
    const lost = (await pointsOf('src/alpha.ts')).map((point) => ({ ...point, terms: null }));
    await store(...lost);
    expect(await world.run('verify')).toMatchObject({
      ...{ status: 'failed', errorCode: 'index_differs' },
      errorMessage: expect.stringContaining(`${lost.length} point(s) without terms`),
      report: { ...NO_FAULT, is_equal: false, points_without_terms: lost.length },
    });
    expect(await world.repository()).toMatchObject({ lastDrift: { files: 0, points: lost.length } });
  });

  async function expectTerms(): Promise<void> {
    for (const { payload, terms } of await world.wholePoints())
      expect(roundedTerms(terms)).toEqual(roundedTerms(termsOf(payload)));
    const after = await world.run('verify');
    expect(after).toMatchObject({ status: 'completed', report: { is_equal: true, ...NO_FAULT } });
    expect(await world.repository()).toMatchObject({ lastDrift: null });
  }

  it('are found, and a repair fills them in without embedding', async () => {
    const repair = await world.run('repair');
    expect(repair).toMatchObject({
      status: 'completed',
      errorCode: 'index_repaired',
      embeddingsRequested: 0,
    });
    expect(repair.report).toMatchObject({ after_repair: { is_equal: true, points_without_terms: 0 } });
    await expectTerms();
  });

  it('are found, and a full sync stores them again', async () => {
    expect(await world.sync({ fullSync: true })).toMatchObject({
      status: 'completed',
      embeddingsRequested: 0,
    });
    await expectTerms();
  });
});

describe('verify', () => {
  it('checks an equal index with one request, and reports how much it checked', async () => {
    const run = await world.run('verify');
    expect(run).toMatchObject({ status: 'completed', errorCode: null, sourceRequests: 1 });
    const commit = await world.git.head();
    const checked = { files_checked: 7, points_checked: (await world.points()).length };
    expect(run.report).toEqual({
      kind: 'verify',
      commit,
      ...checked,
      is_equal: true,
      ...NO_FAULT,
      after_repair: null,
    });
  });

  it('finds a missing point', async () => {
    const points = await pointsOf('src/alpha.ts');
    const total = (await world.points()).length;
    await world.vectorStore.deletePoints(await world.collection(), [points[1]!.id], signal);
    const points_in = { files: 1, first_paths: ['src/alpha.ts'] };
    await expectFoundAndRepaired({ points_missing: 1, points_in }, total - 1);
  });

  it('finds a point of a removed path, and one of a former version', async () => {
    const [point] = await pointsOf('src/beta.ts');
    const total = (await world.points()).length;
    const ghost = { ...point!.payload, path: 'src/ghost.ts' };
    const former = { ...point!.payload, file_version: 'former' };
    await store(
      { ...point!, id: '00000000-0000-4000-8000-000000000001', payload: ghost },
      { ...point!, id: '00000000-0000-4000-8000-000000000002', payload: former },
    );
    const points_in = { files: 2, first_paths: ['src/beta.ts', 'src/ghost.ts'] };
    await expectFoundAndRepaired({ points_stale: 2, points_in }, total + 2);
  });

  it('finds a duplicate point, which does not replace a missing one', async () => {
    const [first, second] = await pointsOf('src/beta.ts');
    const total = (await world.points()).length;
    await world.vectorStore.deletePoints(await world.collection(), [second!.id], signal);
    await store({ ...first!, id: '00000000-0000-4000-8000-000000000003' });
    const points_in = { files: 1, first_paths: ['src/beta.ts'] };
    await expectFoundAndRepaired({ points_doubled: 1, points_missing: 1, points_in }, total);
  });

  it('finds a point whose text was changed', async () => {
    const [point] = await pointsOf('src/alpha.ts');
    const total = (await world.points()).length;
    await store({ ...point!, payload: { ...point!.payload, text: 'something else' } });
    const points_in = { files: 1, first_paths: ['src/alpha.ts'] };
    await expectFoundAndRepaired({ points_changed: 1, points_in }, total);
    const [mended] = await pointsOf('src/alpha.ts');
    expect(mended!.payload.text).toBe(point!.payload.text);
  });

  it('finds differences between manifest and tree', async () => {
    const id = world.repositoryId;
    const total = (await world.points()).length;
    await world.database.query(
      `DELETE FROM repository_files WHERE repository_id = $1 AND path = 'README.md'`,
      [id],
    );
    await world.database.query(
      `UPDATE repository_files SET blob_sha = repeat('0', 40) WHERE repository_id = $1 AND path = 'image.png'`,
      [id],
    );
    await world.database.query(
      `UPDATE repository_files SET path = 'unknown.ts' WHERE repository_id = $1 AND path = 'link.ts'`,
      [id],
    );
    await expectFoundAndRepaired(
      {
        files_missing: { files: 2, first_paths: expect.arrayContaining(['README.md', 'link.ts']) as never },
        files_stale: { files: 1, first_paths: ['image.png'] },
        files_extra: { files: 1, first_paths: ['unknown.ts'] },
        points_stale: 1,
        points_in: { files: 1, first_paths: ['README.md'] },
      },
      total,
    );
  });

  it('never changes the index', async () => {
    const points = await pointsOf('src/alpha.ts');
    await world.vectorStore.deletePoints(await world.collection(), [points[0]!.id], signal);
    const state = async () => {
      const { lastVerifiedAt, lastDrift, ...index } = await world.manifest.stateOf(world.repositoryId);
      return { index: [await world.entries(), await world.points(), index], lastVerifiedAt, lastDrift };
    };
    const before = await state();
    await world.run('verify');
    const after = await state();
    expect(after.index).toEqual(before.index);
    expect([before.lastVerifiedAt, before.lastDrift]).toEqual([null, null]);
    expect(after).toMatchObject({ lastVerifiedAt: expect.any(Date), lastDrift: { files: 0, points: 1 } });
  });

  it('does not count a file that failed as drift', async () => {
    await world.database.query(
      `UPDATE repository_files SET last_error = 'refused' WHERE repository_id = $1 AND path = 'src/beta.ts'`,
      [world.repositoryId],
    );
    const run = await world.run('verify');
    expect(run).toMatchObject({ status: 'failed', report: { is_equal: false, files_failed: { files: 1 } } });
    expect(await world.repository()).toMatchObject({ lastVerifiedAt: expect.any(Date), lastDrift: null });
  });

  it('reports an index without a completed sync as different', async () => {
    const other = await world.register({ branch: 'never-synced' });
    const run = await world.run('verify', { repositoryId: other });
    expect(run).toMatchObject({ status: 'failed', errorCode: 'index_differs' });
    expect(run.report).toMatchObject({ commit: null, is_equal: false, files_checked: 0, points_checked: 0 });
  });

  it('restores missing points without embedding them again', async () => {
    const points = await pointsOf('src/alpha.ts');
    await world.vectorStore.deletePoints(await world.collection(), [points[0]!.id], signal);
    expect(await world.run('repair')).toMatchObject({ status: 'completed', embeddingsRequested: 0 });
  });
});
