import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { connectRedis, RedisProgressStore, type RedisConnections } from '@adapters/redis';
import { progressTask } from '../contracts/progress-store.contract.js';
import { until } from '../support/command-line.js';
import { type EventClient, followEvents } from '../support/event-client.js';
import { createPodWorld, type PodService, type PodWorld, PROJECT } from '../support/pods.js';
import { metricOf } from '../support/scrape.js';
import { register, startSync } from '../support/service-resources.js';
import { silentLogger as logger } from '../support/silent-logger.js';

const CLIENTS = 500;
const CONNECTED_AT_ONCE = 50;
/** A caller may have so many streams. */
const MOST_OF_CALLER = 100;
/** With messages of this size, a thousand events fill the socket buffers of both ends. */
const LONG_MESSAGE = 'x'.repeat(8_192);
const MAX_QUEUED = 1_000;
/** 500 leaked clients would need a multiple of it; normal variation of the heap is a fraction. */
const TOLERATED_BYTES = 4 * 1024 * 1024;

let world: PodWorld;
let pod: PodService;
let redis: RedisConnections;
let store: RedisProgressStore;
let run: string;
let tokens: string[];
let events = 0;

beforeAll(async () => {
  world = await createPodWorld(1);
  // No pod has the role worker. The run stays queued, and this test writes its progress as a worker on another pod would.
  pod = await world.start('pod-api', {
    REPOTIDE_ROLES: 'api',
    NODE_OPTIONS: `--import=${new URL('../support/heap-report.mjs', import.meta.url).href}`,
  });
  const made = Array.from({ length: CLIENTS / MOST_OF_CALLER }, (_, index) =>
    pod.post<{ token: string }>('/api/v1/tokens', { name: `reader ${index}`, role: 'viewer' }),
  );
  tokens = (await Promise.all(made)).map(({ token }) => token);
  run = await startSync(pod, await register(pod, PROJECT));
  redis = await connectRedis({ urls: [world.redis.url], keyPrefix: 'repotide', logger });
  store = new RedisProgressStore(redis, logger);
});
afterAll(async () => {
  store?.close();
  await redis?.close();
  await world?.remove();
});
beforeEach(async () => {
  await tell(1);
  // Code and buffers that the first clients load stay in memory and are no leak.
  for (const client of await connect(CONNECTED_AT_ONCE)) client.vanish();
  await clientsAre(0);
});

async function tell(count: number, message = 'Working'): Promise<void> {
  for (let index = 0; index < count; index++) {
    events++;
    await store.save(progressTask({ taskId: run, userId: null, processedFiles: events, message }));
  }
}

async function connect(count: number): Promise<EventClient[]> {
  const clients: EventClient[] = [];
  while (clients.length < count) {
    const token = tokens[Math.floor(clients.length / MOST_OF_CALLER)]!;
    const some = Array.from({ length: CONNECTED_AT_ONCE }, () => followEvents({ ...pod, token }, run));
    clients.push(...(await Promise.all(some)));
  }
  return clients;
}

async function clientsAre(count: number): Promise<void> {
  await until(`${count} clients`, async () => (await metricOf(pod, 'repotide_sse_clients')) === count);
}

async function heapInUse(): Promise<number> {
  const said = (): string[] => pod.command.stderr().match(/heap in use: \d+/g) ?? [];
  const former = said().length;
  pod.command.process.kill('SIGUSR2');
  await until('the heap report', () => said().length > former);
  return Number(said().at(-1)!.slice('heap in use: '.length));
}

const lastSeen = ({ events: seen }: EventClient) => seen.at(-1)?.processed_files;

describe('one pod with event streams', () => {
  it(`serves ${CLIENTS} clients, and releases those that disconnect`, async () => {
    const before = await heapInUse();
    const clients = await connect(CLIENTS);
    await clientsAre(CLIENTS);
    const [vanishing, living] = [clients.slice(0, CLIENTS / 2), clients.slice(CLIENTS / 2)];
    await tell(5);
    for (const client of vanishing) client.vanish();
    await tell(5);
    await clientsAre(living.length);
    await until('all to have seen the newest', () => living.every((client) => lastSeen(client) === events));
    // All clients get the same events, each event once.
    const ids = living[0]!.events.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(living.filter((client) => client.events.map(({ id }) => id).join() !== ids.join())).toEqual([]);
    for (const client of living) client.vanish();
    await clientsAre(0);
    // A client that is still connected would receive this event.
    await tell(5);
    expect(await metricOf(pod, 'repotide_sse_queued_events')).toBe(0);
    expect((await heapInUse()) - before).toBeLessThan(TOLERATED_BYTES);
  });

  it('keeps at most a thousand events for a client that does not read, and reports the dropped ones', async () => {
    const before = await heapInUse();
    const [slow, quick] = [await followEvents(pod, run), await followEvents(pod, run)];
    await until('both to see the newest', () => [slow, quick].every((client) => lastSeen(client) === events));
    slow.pause();
    const [startIndex, eventsBefore] = [slow.events.length, events];
    const queued: number[] = [];
    const droppedBefore = await metricOf(pod, 'repotide_sse_dropped_events_total');
    const dropped = async (): Promise<number> =>
      (await metricOf(pod, 'repotide_sse_dropped_events_total')) - droppedBefore;
    while ((await dropped()) < MAX_QUEUED / 2) {
      await tell(250, LONG_MESSAGE);
      await until('the quick one to keep up', () => lastSeen(quick) === events);
      queued.push(await metricOf(pod, 'repotide_sse_queued_events'));
    }
    expect(Math.max(...queued)).toBe(MAX_QUEUED);
    slow.resume();
    await until('the slow one to see the newest', () => lastSeen(slow) === events);
    const since = slow.events.slice(startIndex);
    const notices = since.flatMap(({ dropped_events }) => dropped_events ?? []);
    const received = since.filter(({ name }) => name === 'progress');
    expect(notices).toEqual([await dropped()]);
    expect(received.length + notices[0]!).toBe(events - eventsBefore);
    for (const client of [slow, quick]) client.vanish();
    await clientsAre(0);
    expect(await metricOf(pod, 'repotide_sse_queued_events')).toBe(0);
    expect((await heapInUse()) - before).toBeLessThan(TOLERATED_BYTES);
  });
});
