import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/command-line.js';
import { followEvents } from '../support/event-client.js';
import { createPodWorld, type PodService, type PodWorld, PROJECT } from '../support/pods.js';
import { scrape } from '../support/scrape.js';
import { execution, executionThat, isOver, register, startSync } from '../support/service-resources.js';

const FILES = 800;
/** The run would last longer than the outage, and the minute's pause of the display after it. */
const EMBEDDING_MS = 200;
const PATIENCE_MS = 120_000;

let world: PodWorld;
let [worker, api]: PodService[] = [];

beforeAll(async () => {
  world = await createPodWorld(FILES);
  [worker, api] = await Promise.all([
    world.start('pod-worker'),
    world.start('pod-api', { REPOTIDE_ROLES: 'api' }),
  ]);
  world.slowDown(EMBEDDING_MS);
}, 120_000);
afterAll(() => world?.remove());

/** The states of the display whose series is 1. */
async function displayOf(pod: PodService): Promise<string[]> {
  const samples = await scrape(pod);
  const ofBreaker = samples.filter(({ name }) => name === 'repotide_progress_breaker_state');
  expect(ofBreaker.map(({ labels }) => labels['state']).sort()).toEqual([
    'closed',
    'disabled',
    'half_open',
    'open',
  ]);
  return ofBreaker.flatMap(({ labels, value }) => (value === 1 ? labels['state']! : []));
}

function display(pod: PodService, state: string): Promise<void> {
  const isThere = async (): Promise<boolean> => (await displayOf(pod)).join() === state;
  return until(`the display of ${pod.url} to be ${state}`, isThere, PATIENCE_MS);
}

describe('Redis stopped in the middle of a run, for less than the lease lasts', () => {
  it('fails no run; progress pauses, and goes on when Redis is back', async () => {
    const repository = await register(api!, PROJECT);
    const run = await startSync(api!, repository);
    const client = await followEvents(worker!, run);
    const processed = (): number => client.events.at(-1)?.processed_files ?? 0;
    await until('the run to be seen moving', () => processed() > 10);
    expect(await displayOf(worker!)).toEqual(['closed']);
    expect(await displayOf(api!)).toEqual(['closed']);

    await world.redis.kill();
    for (let question = 0; question < 3; question++) await api!.get('/api/v1/progress/stats');
    expect(await displayOf(api!)).toEqual(['open']);
    await display(worker!, 'open');
    // The row tells what the display cannot.
    expect(await api!.get(`/api/v1/progress/${run}`)).toMatchObject({
      task_id: run,
      message: expect.stringMatching(/^Running(: \d+ files so far)?$/),
    });
    await world.redis.start('kept');

    const seen = processed();
    await display(worker!, 'closed');
    await until('progress to go on', () => processed() > seen, PATIENCE_MS);
    expect(await execution(api!, run)).toMatchObject({ status: 'running', attempt: 1 });
    // Nobody has asked this one since.
    await display(api!, 'half_open');
    await api!.get('/api/v1/progress/stats');
    expect(await displayOf(api!)).toEqual(['closed']);

    world.slowDown(0);
    const row = await executionThat(api!, run, isOver);
    expect(row).toMatchObject({ status: 'completed', attempt: 1, interruptions: 0, error_code: null });
    expect(await client.ended).toBe(true);
    expect(client.events.filter(({ status }) => status === 'completed')).toEqual([client.events.at(-1)]);
    expect(
      client.events.slice(1).every((event, index) => event.progress >= client.events[index]!.progress),
    ).toBe(true);
  }, 300_000);
});
