import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/command-line.js';
import { createPodWorld, type PodService, type PodWorld, PROJECT } from '../support/pods.js';
import { metricOf } from '../support/scrape.js';
import { execution, executionThat, isOver, register, startSync } from '../support/service-resources.js';

const FILES = 120;
const EMBEDDING_MS = 200;
/** Short, so that a lost run is taken over during the test. */
const QUICK_RECOVERY = { LEASE_TTL_SECONDS: '6', LEASE_RENEW_SECONDS: '2', REAPER_INTERVAL_SECONDS: '1' };

let world: PodWorld;

beforeAll(async () => {
  world = await createPodWorld(FILES);
});
afterAll(() => world?.remove());

type Line = Record<string, unknown>;

/** Log lines of runs. Lines of requests have their own ids. */
function linesAbout(pod: PodService, executionId: string): Line[] {
  const lines = pod.command.stdout().split('\n');
  const about = lines.flatMap((line) => (line.includes(executionId) ? [JSON.parse(line) as Line] : []));
  return about.filter((line) => line['request_id'] === undefined);
}

describe('a run that two pods executed', () => {
  it('can be followed through both logs by its ids', async () => {
    const first = await world.start('pod-first', { ...QUICK_RECOVERY, LOG_LEVEL: 'debug' });
    const repository = await register(first, PROJECT);
    // The retry of a request is logged several layers below the run.
    world.gitlab.faults.add({ url: /repository/, times: 1, effect: { kind: 'status', status: 503 } });
    world.slowDown(EMBEDDING_MS);
    const run = await startSync(first, repository);
    await until('the run to be in its middle', () => world.embedding.requests.length > 3);
    const second = await world.start('pod-second', { ...QUICK_RECOVERY, LOG_LEVEL: 'debug' });
    expect(await execution(first, run)).toMatchObject({ status: 'running' });
    await first.command.end('SIGKILL');
    world.slowDown(0);
    const row = await executionThat(second, run, isOver);
    expect(row).toMatchObject({ status: 'completed', attempt: 2, interruptions: 1 });
    expect(await metricOf(second, 'repotide_runs_recovered_total', { status: 'queued' })).toBe(1);

    const lines = [first, second].map((pod) => linesAbout(pod, run));
    for (const [index, pod] of ['pod-first', 'pod-second'].entries()) {
      const ofPod = lines[index]!;
      const fences = [...new Set(ofPod.map(({ fence }) => fence))];
      expect(ofPod.length).toBeGreaterThan(1);
      expect({ pod, fences }).toEqual({
        pod,
        fences: expect.arrayContaining([expect.any(Number)]) as unknown,
      });
      expect(ofPod.filter((line) => line['pod'] !== pod)).toEqual([]);
      const incomplete = ofPod.filter(
        (line) => line['execution_id'] !== run || line['repository_id'] !== repository.id || !line['fence'],
      );
      expect(incomplete).toEqual([]);
    }
  });
});
