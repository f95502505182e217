import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/command-line.js';
import { followEvents } from '../support/event-client.js';
import { createPodWorld, type PodService, type PodWorld, PROJECT } from '../support/pods.js';
import { scrape } from '../support/scrape.js';
import { execution, executionThat, isOver, register, startSync } from '../support/service-resources.js';

const FILES = 800;
/** Slow enough that the run outlasts the outage and the breaker's pause of a minute. */
const EMBEDDING_MS = 200;

let world: PodWorld;
let [worker, api]: PodService[] = [];

beforeAll(async () => {
  world = await createPodWorld(FILES);
  [worker, api] = await Promise.all([
    world.start('pod-worker'),
    world.start('pod-api', { REPOTIDE_ROLES: 'api' }),
  ]);
  world.slowDown(EMBEDDING_MS);
});
afterAll(() => world?.remove());

/** The states of the progress breaker whose series has the value 1. */
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
  return until(`the display of ${pod.url} to be ${state}`, isThere);
}

describe('a run during a Redis outage that is shorter than the lease', () => {
  it('does not fail; its progress pauses and continues when Redis is back', async () => {
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
    // During the outage the progress is read from the execution's row.
    expect(await api!.get(`/api/v1/progress/${run}`)).toMatchObject({
      task_id: run,
      message: expect.stringMatching(/^Running(: \d+ files so far)?$/),
    });
    await world.redis.start('kept');

    const seen = processed();
    await display(worker!, 'closed');
    await until('progress to go on', () => processed() > seen);
    expect(await execution(api!, run)).toMatchObject({ status: 'running', attempt: 1 });
    // This pod has answered no request for progress since the outage.
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
  });
});
