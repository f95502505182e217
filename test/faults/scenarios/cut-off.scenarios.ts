import { setTimeout as sleep } from 'node:timers/promises';
import { type TcpProxy } from '../../support/tcp-proxy.js';
import { until } from '../check/settle.js';
import { percentile, seconds } from '../check/verdict.js';
import { type Pod } from '../system/pod.js';
import { type Scenario, type Stage } from './scenario.js';

/** Starts on the pods that are not cut off. */
const START_BOUND_MS = 2_000;
const CUT_MS = 12_000;
const BETWEEN_SYNCS_MS = 250;

type Store = 'postgres' | 'redis';
const STORES: readonly (readonly Store[])[] = [['postgres'], ['redis'], ['postgres', 'redis']];
const WEATHERS: Readonly<Record<string, (proxy: TcpProxy) => void>> = {
  refused: (proxy) => proxy.refuse(),
  swallowed: (proxy) => proxy.blackhole('to-server', 'to-client'),
  'half-open': (proxy) => proxy.blackhole('to-client'),
};

export const cutOff: Scenario = {
  name: 'cut-off',
  promise: 'While one pod is cut off from Postgres, Redis or both, runs on the others start within 2 s (p99)',
  modes: ['distributed'],
  pods: 3,
  branches: 40,
  timings: 'production',
  minutes: 6,
  expression: null,
  mayMiss: ['I3', 'I4', 'I5', 'I7', 'I8', 'I11', 'G5'],
  async play(stage) {
    const { cluster, expect, say } = stage;
    // The first sync of each repository takes longer than those that follow.
    await syncForAWhile(stage, cluster.slots, stage.fleet.registered.length * BETWEEN_SYNCS_MS);
    const delays: number[] = [];
    const cuts = Object.entries(WEATHERS).flatMap(([name, weather]) =>
      cluster.slots.flatMap((_, slot) => STORES.map((stores) => ({ name, weather, slot, stores }))),
    );
    for (const { name, weather, slot, stores } of cuts) {
      const pod = cluster.slots[slot]!;
      const proxies = stores.flatMap((store) => cluster.links[slot]?.[store] ?? []);
      const from = new Date();
      proxies.forEach(weather);
      await syncForAWhile(
        stage,
        cluster.slots.filter((other) => other !== pod),
        CUT_MS,
      );
      for (const proxy of proxies) {
        proxy.admit();
        proxy.restore();
      }
      const own = await delaysSince(stage, from, pod);
      delays.push(...own);
      const what = `${pod.name} ${stores.join(' and ')} ${name}`;
      say(`${what}: ${own.length} starts, p99 ${seconds(percentile(own, 0.99))}`);
      expect.check(own.length > 0, () => `${what}: no run started`);
    }
    const p99 = percentile(delays, 0.99);
    expect.check(p99 <= START_BOUND_MS, () => `runs on healthy pods started after ${seconds(p99)} (p99)`);
    expect.measure('starts', delays.length);
    for (const share of [0.5, 0.99, 1]) expect.measure(`p${share * 100}`, seconds(percentile(delays, share)));
  },
};

/** Requests syncs through these pods, of one repository after the other. */
async function syncForAWhile({ cluster, fleet }: Stage, pods: readonly Pod[], forMs: number): Promise<void> {
  const end = Date.now() + forMs;
  for (let number = 0; Date.now() < end; number++) {
    const { id } = fleet.registered[number % fleet.registered.length]!;
    // Refused while the former run of the repository is active.
    void cluster.api('POST', `/repositories/${id}/sync`, {}, pods[number % pods.length]);
    await sleep(BETWEEN_SYNCS_MS);
  }
}

/** Delays from the request to the first start of the runs that were requested since then and did not start on that pod. */
async function delaysSince({ cluster }: Stage, from: Date, pod: Pod): Promise<number[]> {
  await until('all requested runs to start', 120_000, async () => {
    const waiting = await cluster.postgres.query(
      "SELECT 1 FROM schedule_execution_logs WHERE status = 'queued' AND queued_at >= $1",
      [from],
    );
    return waiting.length === 0;
  });
  const rows = await cluster.postgres.query<{ delay: number }>(
    `SELECT EXTRACT(epoch FROM min(s.at) - e.queued_at)::float8 * 1000 AS delay
      FROM schedule_execution_logs e JOIN faults.execution_steps s ON s.execution_id = e.id AND s.status = 'running'
      WHERE e.queued_at >= $1 GROUP BY e.id, e.queued_at
      HAVING (array_agg(s.pod_name ORDER BY s.at))[1] <> $2`,
    [from, pod.name],
  );
  return rows.map(({ delay }) => delay);
}
