import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGitRepository } from '@devkit';
import { until } from '../support/command-line.js';
import { followEvents } from '../support/event-client.js';
import { createPodWorld, type PodService, type PodWorld, PROJECT } from '../support/pods.js';
import { metricOf, scrape } from '../support/scrape.js';
import {
  executionThat,
  isOver,
  type List,
  register,
  type RepositoryRow,
  schedule,
  startSync,
  ticks,
} from '../support/service-resources.js';

const FILES = 6;
const COLLECTION = 'repotide';

type Row = Record<string, number> & { status: string; handler: string; trigger: string; error_code: string };

let directory: string;
let world: PodWorld;
let service: PodService;
let first: RepositoryRow;
let second: RepositoryRow;
let rows: Row[];

/** Runs with every outcome: completed by hand and by a tick, partial, failed, cancelled, and a skipped tick. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'repotide-metrics-'));
  world = await createPodWorld(FILES);
  service = await world.start('pod-a');
  first = await register(service, PROJECT);
  const git = await createGitRepository(join(directory, 'git'));
  git.write('README.md', '# Another project\n');
  await git.commit('A file');
  await world.gitlab.addProject({ path: 'team/other', gitDir: git.directory, defaultBranch: 'main' });
  second = await register(service, 'team/other', { collection_name: 'other' });
  await finished(first, 'completed');
  await finished(second, 'completed');
  await world.write('other words');
  world.embedding.settings.refusedTexts = /other words of 3'/;
  await finished(first, 'partial');
  await world.write('more words');
  world.embedding.settings.refusedTexts = /./;
  await finished(first, 'failed');
  world.embedding.settings.refusedTexts = null;
  // A copied file reuses the vectors of the original.
  git.write('COPY.md', '# Another project\n');
  await git.commit('A copy');
  await skipAndCancel();
  rows = (await service.get<List<Row>>('/api/v1/executions?limit=500')).items;
});
afterAll(async () => {
  await world?.remove();
  await rm(directory, { recursive: true, force: true });
});

async function finished(repository: RepositoryRow, status: string): Promise<void> {
  const run = await startSync(service, repository);
  expect(await executionThat(service, run, isOver)).toMatchObject({ status });
}

/** Holds a run of one repository while the ticks of both come due. Its own tick is skipped, the other completes; then it is cancelled. */
async function skipAndCancel(): Promise<void> {
  await finished(second, 'completed');
  world.embedding.faults.add({ method: 'POST', effect: { kind: 'stall' } });
  const held = await startSync(service, first);
  await executionThat(service, held, ({ status }) => status === 'running');
  const schedules = [await schedule(service, first.id), await schedule(service, second.id)];
  await until('a tick of each', async () => {
    const claimed = await Promise.all([ticks(service, first), ticks(service, second)]);
    return claimed.every((each) => each.some(isOver));
  });
  for (const { id } of schedules) await service.post(`/api/v1/schedules/${id}/pause`);
  const client = await followEvents(service, held);
  await until(
    'the client to be counted',
    async () => (await metricOf(service, 'repotide_sse_clients')) === 1,
  );
  await service.post(`/api/v1/executions/${held}/cancel`);
  expect(await client.ended).toBe(true);
  expect(await executionThat(service, held, isOver)).toMatchObject({ status: 'cancelled' });
}

const sumOf = (column: string): number => rows.reduce((sum, row) => sum + (row[column] ?? 0), 0);
/** Rows with a run. Skipped ticks have none. */
const runs = (): Row[] => rows.filter(({ status }) => status !== 'skipped');

describe('the metrics of a service after real runs', () => {
  it('count the runs of each outcome as the history does', async () => {
    const outcomes = new Set(rows.map(({ status }) => status));
    expect([...outcomes].toSorted()).toEqual(['cancelled', 'completed', 'failed', 'partial', 'skipped']);
    const counted = (await scrape(service)).filter(
      ({ name, value }) => name === 'repotide_runs_total' && value > 0,
    );
    const expected = new Map<string, number>();
    for (const { handler, trigger, status } of runs()) {
      const key = `${handler} ${trigger} ${status}`;
      expected.set(key, (expected.get(key) ?? 0) + 1);
    }
    expect(
      new Map(
        counted.map(({ labels, value }) => [`${labels.handler} ${labels.trigger} ${labels.status}`, value]),
      ),
    ).toEqual(expected);
    expect(await metricOf(service, 'repotide_run_duration_seconds_count')).toBe(runs().length);
    const errors = runs().filter(({ error_code }) => error_code !== null).length;
    expect(await metricOf(service, 'repotide_run_errors_total')).toBe(errors);
    expect(await metricOf(service, 'repotide_active_runs')).toBe(0);
    expect(await metricOf(service, 'repotide_lease_losses_total')).toBe(0);
  });

  it.each([
    ['repotide_files_total', { change: 'added' }, 'files_added'],
    ['repotide_files_total', { change: 'modified' }, 'files_modified'],
    ['repotide_files_total', { change: 'renamed' }, 'files_renamed'],
    ['repotide_files_total', { change: 'deleted' }, 'files_deleted'],
    ['repotide_files_total', { change: 'skipped' }, 'files_skipped'],
    ['repotide_files_total', { change: 'failed' }, 'files_failed'],
    ['repotide_chunks_total', { change: 'upserted' }, 'chunks_upserted'],
    ['repotide_chunks_total', { change: 'deleted' }, 'chunks_deleted'],
    ['repotide_embeddings_total', { origin: 'requested' }, 'embeddings_requested'],
    ['repotide_embeddings_total', { origin: 'reused' }, 'embeddings_reused'],
    ['repotide_source_requests_total', {}, 'source_requests'],
    ['repotide_source_bytes_total', {}, 'bytes_fetched'],
  ])('%s of %j is the sum of %s', async (metric, labels: Record<string, string>, column) => {
    expect(await metricOf(service, metric, labels)).toBe(sumOf(column));
  });

  it('come from runs that did work', () => {
    for (const column of [
      'files_added',
      'files_modified',
      'files_failed',
      'chunks_upserted',
      'chunks_deleted',
    ])
      expect(sumOf(column)).toBeGreaterThan(0);
    for (const column of ['embeddings_requested', 'embeddings_reused', 'source_requests', 'bytes_fetched'])
      expect(sumOf(column)).toBeGreaterThan(0);
  });

  it('count each claimed tick once, with its lag when it started a run', async () => {
    const ofTicks = rows.filter(({ trigger }) => trigger === 'cron');
    const passedOver = ofTicks.filter(({ status }) => status === 'skipped').length;
    expect(passedOver).toBeGreaterThan(0);
    expect(await metricOf(service, 'repotide_ticks_total', { outcome: 'passed_over' })).toBe(passedOver);
    const ran = ofTicks.length - passedOver;
    expect(await metricOf(service, 'repotide_ticks_total', { outcome: 'run' })).toBe(ran);
    expect(await metricOf(service, 'repotide_claim_lag_seconds_count')).toBe(ran);
  });

  it('show the state of queue, leader, clients, points and freshness', async () => {
    expect(await metricOf(service, 'repotide_sse_clients')).toBe(0);
    expect(await metricOf(service, 'repotide_leader')).toBe(1);
    for (const [collection, { id }] of [
      [COLLECTION, first],
      ['other', second],
    ] as const) {
      const { items } = await service.get<List<{ chunk_count: number }>>(`/api/v1/repositories/${id}/files`);
      const chunks = items.reduce((sum, file) => sum + file.chunk_count, 0);
      await until(
        `the points of ${collection}`,
        async () => (await metricOf(service, 'repotide_points', { collection })) === chunks,
      );
    }
    expect(await metricOf(service, 'repotide_queue_depth')).toBe(0);
    const repositories = (
      await service.get<List<{ id: string; last_sync_at: string }>>('/api/v1/repositories')
    ).items;
    const shown = (await scrape(service)).filter(({ name }) => name === 'repotide_repository_age_seconds');
    expect(shown).toHaveLength(repositories.length);
    for (const { id, last_sync_at } of repositories) {
      const age = shown.find(({ labels }) => labels.repository_id === id)!.value;
      expect(age).toBeGreaterThanOrEqual(0);
      expect(age).toBeLessThanOrEqual((Date.now() - Date.parse(last_sync_at)) / 1000);
    }
  });
});
