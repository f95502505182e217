import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RedisProgressStore, connectRedis } from '@adapters/redis';
import { type ProgressEvent } from '@core/domain';
import { until } from '../support/command-line.js';
import { type EventClient, followEvents, type SeenEvent } from '../support/event-client.js';
import { createPodWorld, type PodService, type PodWorld, PROJECT } from '../support/pods.js';
import {
  execution,
  executionsOf,
  executionThat,
  isOver,
  register,
  type RepositoryRow,
  startSync,
} from '../support/service-resources.js';
import { silentLogger as logger } from '../support/silent-logger.js';

const FILES = 160;
/** Without a cancel the run takes at least half a minute. */
const EMBEDDING_MS = 200;

let world: PodWorld;
let [a, b, c]: PodService[] = [];
let repository: RepositoryRow;

beforeAll(async () => {
  world = await createPodWorld(FILES);
  const roles = { REPOTIDE_ROLES: 'api' };
  // The killed pod must not hold the run: this test is about its clients.
  [a, b, c] = await Promise.all([world.start('pod-a'), world.start('pod-b', roles), world.start('pod-c')]);
  repository = await register(a, PROJECT);
});
afterAll(() => world?.remove());

beforeEach(() => world.slowDown(EMBEDDING_MS));

/** All events of a run that Redis stores; a client without a gap has received them all. */
async function keptEvents(executionId: string): Promise<ProgressEvent[]> {
  const redis = await connectRedis({ urls: [world.redis.url], keyPrefix: 'repotide', logger });
  const store = new RedisProgressStore(redis, logger);
  const events = await store.eventsAfter(executionId, null);
  store.close();
  await redis.close();
  return events;
}

async function moving(client: EventClient, files: number): Promise<void> {
  await until('the run to be seen moving', () =>
    client.events.some(({ processed_files }) => processed_files >= files),
  );
}

function compare(left: string, right: string): number {
  const [leftParts, rightParts] = [left, right].map((id) => id.split('-').map(Number));
  return leftParts![0]! - rightParts![0]! || leftParts![1]! - rightParts![1]!;
}

/** Expects no gap, no repeat, the right order and one end. A client that connects early first gets the row, which has no event id. */
async function expectComplete(executionId: string, all: readonly SeenEvent[]): Promise<void> {
  const seen = all.slice(all[0]?.id === null ? 1 : 0);
  const ids = seen.map(({ id }) => id!);
  const kept = (await keptEvents(executionId)).map(({ id }) => id);
  expect(ids).toEqual(kept);
  expect(ids.slice(1).every((id, index) => compare(id, ids[index]!) > 0)).toBe(true);
  expect(seen.slice(1).every(({ progress }, index) => progress >= seen[index]!.progress)).toBe(true);
  const ends = seen.filter(({ status }) => status === 'completed' || status === 'error');
  expect(ends).toEqual([seen.at(-1)]);
}

/**
 * Expects all points of each indexed file. A run that was cancelled between storing a batch and removing the former
 * points leaves both, of other blobs; they are counted as extra. @returns the number of files and of extra points.
 */
async function expectStoredAsListed(service: PodService): Promise<{ files: number; extraPoints: number }> {
  const { items } = await service.get<{ items: { path: string; blob_sha: string; chunk_count: number }[] }>(
    `/api/v1/repositories/${repository.id}/files?status=indexed&limit=500`,
  );
  const points = world.qdrant.collectionNames().flatMap((name) => world.qdrant.collection(name)!.points);
  const stored = new Map<string, number>();
  const keyOf = (path: unknown, blobSha: unknown): string => `${String(path)} ${String(blobSha)}`;
  for (const { payload } of points) {
    const key = keyOf(payload['path'], payload['blob_sha']);
    stored.set(key, (stored.get(key) ?? 0) + 1);
  }
  for (const { path, blob_sha, chunk_count } of items)
    expect([path, stored.get(keyOf(path, blob_sha))]).toEqual([path, chunk_count]);
  const expected = items.reduce((sum, { chunk_count }) => sum + chunk_count, 0);
  return { files: items.length, extraPoints: points.length - expected };
}

/** The next run completes the index and leaves no extra points. */
async function expectNextRunConverges(): Promise<void> {
  world.slowDown(0);
  const run = await startSync(a!, repository);
  const row = await executionThat(a!, run, isOver);
  expect(row).toMatchObject({ status: 'completed', error_code: null });
  expect(await expectStoredAsListed(a!)).toEqual({ files: FILES, extraPoints: 0 });
  // A completed run cannot be cancelled.
  const cancel = await c!.call('POST', `/api/v1/executions/${run}/cancel`);
  expect(cancel).toMatchObject({ status: 409, body: { code: 'execution_finished' } });
}

describe('three pods', () => {
  it('start, show and cancel one run through different pods, and the next run converges', async () => {
    const run = await startSync(a!, repository);
    const client = await followEvents(b!, run);
    await moving(client, 10);
    await c!.post(`/api/v1/executions/${run}/cancel`);
    expect(await client.ended).toBe(true);
    expect(client.events.at(-1)).toMatchObject({ status: 'error', cancelled: true });
    await expectComplete(run, client.events);
    const row = await executionThat(b!, run, isOver);
    expect(row).toMatchObject({ status: 'cancelled', error_code: 'cancel_requested', attempt: 1 });
    expect(row.cancel_requested_at).not.toBeNull();
    expect((await expectStoredAsListed(c!)).files).toBeGreaterThan(0);
    await expectNextRunConverges();
  });

  it('release the lock of a living holder, which stops although most files are left', async () => {
    await world.write('words before the release');
    const run = await startSync(a!, repository);
    const client = await followEvents(b!, run);
    await moving(client, 10);
    const path = `/api/v1/locks/${repository.id}?reason=test`;
    expect((await c!.call('DELETE', path)).status).toBe(204);
    expect(await execution(b!, run)).toMatchObject({
      status: 'cancelled',
      error_code: 'lock_released',
      error_message: 'The lock of the repository was released on request: test',
    });
    expect(await client.ended).toBe(true);
    expect(client.events.at(-1)).toMatchObject({ status: 'error', cancelled: true });
    const hasStopped = (pod: PodService): boolean =>
      /it was ended; nothing recorded/.test(pod.command.stdout() + pod.command.stderr());
    await until('the holder to stop', () => hasStopped(a!) || hasStopped(c!));
    expect(client.events.at(-1)!.processed_files).toBeLessThan(FILES);
    // The holder may have written late, so the leader queues a check, which the next run may have to wait for.
    const sync = `/api/v1/repositories/${repository.id}/sync`;
    await until('the next run', async () => (await c!.call('POST', sync)).status === 202);
    world.slowDown(0);
    const [next] = await executionsOf(c!, repository);
    expect(await executionThat(c!, next!.id, isOver)).toMatchObject({ status: 'completed' });
  });

  it('let a client of a killed pod continue at another one, without gap or repeat', async () => {
    await world.write('other words');
    const run = await startSync(a!, repository);
    const first = await followEvents(b!, run);
    await moving(first, 10);
    await b!.command.end('SIGKILL');
    expect(await first.ended).toBe(false);
    const lastSeen = first.events.at(-1)!.id!;
    // Events occur while no client is connected.
    const hasMissed = async (): Promise<boolean> => (await keptEvents(run)).length > first.events.length + 2;
    await until('events that the client missed', hasMissed);
    const second = await followEvents(a!, run, lastSeen);
    await until('the client to catch up', () => second.events.length > 2);
    await c!.post(`/api/v1/executions/${run}/cancel`);
    expect(await second.ended).toBe(true);
    const seen = [...first.events, ...second.events];
    await expectComplete(run, seen);
    expect(seen.at(-1)).toMatchObject({ status: 'error', cancelled: true });
    expect(await executionThat(c!, run, isOver)).toMatchObject({ status: 'cancelled' });
    await expectStoredAsListed(c!);
    // A client that has received the last event gets 204, so that it does not reconnect.
    const { status } = await fetch(`${c!.url}/api/v1/executions/${run}/events`, {
      headers: { Authorization: `Bearer ${c!.token}`, 'Last-Event-ID': seen.at(-1)!.id! },
    });
    expect(status).toBe(204);
    await expectNextRunConverges();
  });
});
