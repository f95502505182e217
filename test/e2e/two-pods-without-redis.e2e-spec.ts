import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '../support/command-line.js';
import { type EventClient, followEvents } from '../support/event-client.js';
import { createPodWorld, type PodService, type PodWorld, PROJECT } from '../support/pods.js';
import {
  execution,
  executionThat,
  isOver,
  type List,
  register,
  type RepositoryRow,
  startSync,
} from '../support/service-resources.js';

/** Four batches of the store: a run that has shown the first one is far from its end. */
const FILES = 400;
const EMBEDDING_MS = 50;
const NO_REDIS = { REDIS_URL: '' };

let world: PodWorld;
let [holder, other]: PodService[] = [];
let repository: RepositoryRow;

beforeAll(async () => {
  world = await createPodWorld(FILES);
  [holder, other] = await Promise.all([
    world.start('pod-holder', NO_REDIS),
    world.start('pod-other', { ...NO_REDIS, REPOTIDE_ROLES: 'api' }),
  ]);
  repository = await register(holder, PROJECT);
});
afterAll(() => world?.remove());
beforeEach(() => world.slowDown(EMBEDDING_MS));

/** Starts a run, which only the holder can take, and follows it through the other pod. */
async function followedRun(): Promise<[id: string, client: EventClient]> {
  const id = await startSync(other!, repository);
  const client = await followEvents(other!, id);
  await until('the run to be seen moving', () => (client.events.at(-1)?.processed_files ?? 0) >= 10);
  return [id, client];
}

describe('two pods that share Postgres and no Redis', () => {
  it('show the progress of a run of the other pod, and cancel it', async () => {
    const [run, client] = await followedRun();
    expect(await other!.get(`/api/v1/progress/${run}`)).toMatchObject({ task_id: run, total_files: FILES });
    expect(await other!.get('/api/v1/progress/stats')).toMatchObject({ total: 1 });
    await other!.post(`/api/v1/executions/${run}/cancel`);
    expect(await client.ended).toBe(true);
    expect(client.events.at(-1)).toMatchObject({ status: 'error', cancelled: true });
    expect(client.events.at(-1)!.processed_files).toBeLessThan(FILES);
    const progress = client.events.map((event) => event.progress);
    expect(progress).toEqual(progress.toSorted((left, right) => left - right));
    expect(await executionThat(other!, run, isOver)).toMatchObject({
      status: 'cancelled',
      error_code: 'cancel_requested',
    });
  });

  it('release the lock of the other pod, which stops although most files are left', async () => {
    const [run, client] = await followedRun();
    const released = await other!.call('DELETE', `/api/v1/locks/${repository.id}?reason=test`);
    expect(released.status).toBe(204);
    expect(await execution(other!, run)).toMatchObject({ status: 'cancelled', error_code: 'lock_released' });
    expect(await client.ended).toBe(true);
    await until('the holder to stop', () =>
      /it was ended; nothing recorded/.test(holder!.command.stdout() + holder!.command.stderr()),
    );
    expect(client.events.at(-1)!.processed_files).toBeLessThan(FILES);
    // A check of the index that the run left incomplete may already hold the lock.
    const { items } = await other!.get<List<{ execution_id: string }>>('/api/v1/locks');
    expect(items.map(({ execution_id }) => execution_id)).not.toContain(run);
  });
});
