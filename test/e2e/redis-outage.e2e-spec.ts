import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/command-line.js';
import { followEvents } from '../support/event-client.js';
import { createPodWorld, type PodService, type PodWorld, PROJECT } from '../support/pods.js';
import { scrape } from '../support/scrape.js';
import { executionThat, isOver, register, startSync } from '../support/service-resources.js';

const FILES = 120;
/** Slow enough that the run outlasts the outage. */
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
  it('completes in its first attempt; meanwhile its progress is read from its row', async () => {
    const repository = await register(api!, PROJECT);
    const run = await startSync(api!, repository);
    const client = await followEvents(worker!, run);
    await until('the run to be seen moving', () => (client.events.at(-1)?.processed_files ?? 0) > 10);
    expect(await displayOf(worker!)).toEqual(['closed']);
    expect(await displayOf(api!)).toEqual(['closed']);

    await world.redis.kill();
    for (let question = 0; question < 3; question++) await api!.get('/api/v1/progress/stats');
    expect(await displayOf(api!)).toEqual(['open']);
    await display(worker!, 'open');
    expect(await api!.get(`/api/v1/progress/${run}`)).toMatchObject({
      task_id: run,
      message: expect.stringMatching(/^Running(: \d+ files so far)?$/),
    });
    await world.redis.start('kept');

    world.slowDown(0);
    const row = await executionThat(api!, run, isOver);
    expect(row).toMatchObject({ status: 'completed', attempt: 1, interruptions: 0, error_code: null });
  });
});
