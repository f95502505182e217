import { createHash } from 'node:crypto';
import { CANARY } from '@adapters/embedding';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type DriftReport } from '@core/domain';
import { startQdrantDouble, type DoublePoint, type QdrantDouble } from '@devkit';
import { until } from '../support/command-line.js';
import { backUp } from '../support/database-backup.js';
import { createIndexWorld, PROJECT, runToItsEnd, type IndexWorld } from '../support/index-world.js';
import { type Service } from '../support/installation.js';
import { metricOf } from '../support/scrape.js';
import { executionsOf, register, type RepositoryRow } from '../support/service-resources.js';

const FILES = 10;

let qdrant: QdrantDouble;
let world: IndexWorld;
let service: Service;
let repository: RepositoryRow;

beforeEach(async () => {
  qdrant = await startQdrantDouble();
  world = await createIndexWorld({ QDRANT_URL: qdrant.url, REAPER_INTERVAL_SECONDS: '1' });
  for (let file = 0; file < FILES; file++) write(file, 'first');
  await world.git.commit();
  service = await world.installation.serve();
  repository = await register(service, PROJECT);
  await sync(null);
  expect(storedTexts()).toHaveLength(FILES);
});
afterEach(async () => {
  await world?.remove();
  await qdrant?.close();
  expect(qdrant.violations).toEqual([]);
});

function write(file: number, word: string): void {
  world.git.write(`src/file-${file}.ts`, `export const ${word} = 'file ${file}';\n`);
}

const collections = () => qdrant.collectionNames().filter((name) => name.startsWith('repotide--'));
const points = (): DoublePoint[] => collections().flatMap((name) => qdrant.collection(name)!.points);
const storedTexts = (): string[] =>
  points()
    .map(({ payload }) => String(payload['text']))
    .sort();

async function sync(errorCode: string | null): Promise<DriftReport | null> {
  const row = await runToItsEnd(service, `/api/v1/repositories/${repository.id}/sync`);
  expect(row).toMatchObject({ status: 'completed', error_code: errorCode });
  return row.report as DriftReport | null;
}

async function ask(method: string, path: string, body?: object): Promise<void> {
  const answer = await fetch(qdrant.url + path, {
    method,
    body: body === undefined ? null : JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function search(): Promise<unknown[]> {
  const body = { query: 'file', limit: 100 };
  const { items } = await service.post<{ items: unknown[] }>('/api/v1/search', body);
  return items;
}

describe('a service whose Qdrant', () => {
  it('lost the collection restores it by itself, from the cache, and says so', async () => {
    const texts = storedTexts();
    await service.stop();
    world.embedding.resetLog();
    const [former] = collections();
    await ask('DELETE', `/collections/${former}`);
    service = await world.installation.serve();
    expect(await (await fetch(`${service.url}/health/ready`)).json()).toMatchObject({ status: 'ok' });
    const recovery = async () =>
      (await executionsOf(service, repository)).find(({ trigger }) => trigger === 'recovery');
    await until('the recovery run', async () => (await recovery())?.status === 'completed');
    expect(await recovery()).toMatchObject({
      error_code: 'index_repaired',
      error_message: expect.stringContaining(`Repaired: ${FILES} missing point(s)`),
      report: { kind: 'drift', cause: 'collection_lost', points_found: 0, points_missing: FILES },
    });
    expect(storedTexts()).toEqual(texts);
    expect(await search()).toHaveLength(FILES);
    const embedded = world.embedding.work.flatMap(({ contentHashes }) => contentHashes);
    expect(embedded.filter((hash) => hash !== sha256(CANARY))).toEqual([sha256('file')]);
    expect(await service.get(`/api/v1/repositories/${repository.id}`)).toMatchObject({ lost_since: null });
    const logged = service.command.stderr() + service.command.stdout();
    expect(logged).toContain('the collection is missing');
    expect(await metricOf(service, 'repotide_repositories_lost')).toBe(0);
  });

  it('was emptied, or restored from a snapshot with as many points, is right after the next run', async () => {
    const [name] = collections();
    const snapshot = points().map(({ id, payload, vector }) => ({ id, payload, vector: Array.from(vector) }));
    const clear = async () => {
      const ids = points().map(({ id }) => id);
      await ask('POST', `/collections/${name}/points/delete?wait=true`, { points: ids });
    };
    await clear();
    expect(await sync('index_repaired')).toMatchObject({ cause: 'points_differ', points_missing: FILES });
    write(0, 'second');
    await world.git.commit();
    await sync(null);
    const texts = storedTexts();
    await clear();
    await ask('PUT', `/collections/${name}/points?wait=true`, { points: snapshot });
    expect(storedTexts()).not.toEqual(texts);
    expect(await sync('index_repaired')).toMatchObject({
      ...{ kind: 'drift', cause: 'store_behind', points_expected: FILES, points_found: FILES },
      ...{ points_missing: 1, points_stale: 1 },
    });
    expect(storedTexts()).toEqual(texts);
    await sync(null);
  });
});

describe('a service whose Postgres was restored from an older backup', () => {
  it('serves no deleted file and no unknown repository after the next run', async () => {
    const backup = await backUp(world.database);
    await world.git.branch('other');
    const since = await register(service, PROJECT, { branch: 'other' });
    await runToItsEnd(service, `/api/v1/repositories/${since.id}/sync`);
    write(FILES, 'secret');
    await world.git.commit();
    await sync(null);
    world.git.delete(`src/file-${FILES}.ts`);
    write(1, 'last');
    await world.git.commit();
    await service.stop();
    await backup.restore();
    expect(storedTexts().join('')).toContain('secret');
    service = await world.installation.serve();
    expect(await sync('index_repaired')).toMatchObject({ cause: 'database_behind' });
    await until('the points of the unknown repository to be removed', async () => points().length === FILES);
    expect(storedTexts().join('')).not.toContain('secret');
    expect(new Set(points().map(({ payload }) => payload['repository_id']))).toEqual(
      new Set([repository.id]),
    );
    expect(await search()).toHaveLength(FILES);
    await sync(null);
  });
});
