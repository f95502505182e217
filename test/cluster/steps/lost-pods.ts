import { eventually } from '../eventually.js';
import {
  completed,
  execution,
  heldRun,
  isReady,
  readyPods,
  servicePods,
  type Pod,
  type World,
} from '../world.js';
import { KubernetesError } from '../kubernetes-api.js';
import { type Step } from './step.js';

const TAKE_OVER_SECONDS = 10;

export const takeOver: Step = {
  name: 'take-over',
  promise: `A pod that is killed in the middle of a run loses it to another pod within ${TAKE_OVER_SECONDS} s.`,
  async run(world) {
    const { api, namespace, companion } = world;
    try {
      const run = await heldRun(world, { 'three.md': '# Three\n' });
      const begin = Date.now();
      await api.delete(`/api/v1/namespaces/${namespace}/pods/${run.pod_name}`, 0);
      const holder = await eventually(
        'another pod works on the run',
        TAKE_OVER_SECONDS,
        () => otherHolder(world, run),
        100,
      );
      const seconds = (Date.now() - begin) / 1000;
      await companion.release();
      await completed(world, run.id);
      await readyPods(world, 2);
      return `${holder} took the run over after ${seconds.toFixed(1)} s and completed it`;
    } finally {
      await companion.release();
    }
  },
};

export const drain: Step = {
  name: 'drain',
  promise: 'A node whose pods of the service are evicted loses no run.',
  async run(world) {
    const { companion } = world;
    const run = await heldRun(world, { 'four.md': '# Four\n' });
    try {
      const pods = await servicePods(world);
      const node = pods.find(({ metadata }) => metadata.name === run.pod_name)?.spec.nodeName ?? '';
      const evicted = pods.filter(({ spec }) => spec.nodeName === node);
      const isOnly = (await schedulableNodes(world)).length < 2;
      if (!isOnly) await cordon(world, node, true);
      try {
        for (const pod of evicted) await evict(world, pod);
        const holder = await eventually('another pod works on the run', 120, () => otherHolder(world, run));
        await companion.release();
        await completed(world, run.id);
        await readyPods(world, 2);
        const where = isOnly ? `its only node` : `node ${node}, which was cordoned`;
        return `${evicted.length} pods left ${where}; ${holder} continued the run`;
      } finally {
        if (!isOnly) await cordon(world, node, false);
      }
    } finally {
      await companion.release();
    }
  },
};

async function otherHolder(world: World, run: { id: string; pod_name: string }): Promise<string | null> {
  const { status, pod_name: holder } = await execution(world, run.id);
  return status === 'running' && holder !== null && holder !== run.pod_name ? holder : null;
}

async function schedulableNodes({ api }: World): Promise<object[]> {
  const nodes = await api.list<{ spec: { unschedulable?: boolean; taints?: { effect: string }[] } }>(
    '/api/v1/nodes',
  );
  return nodes.filter(
    ({ spec }) => !spec.unschedulable && !spec.taints?.some(({ effect }) => effect !== 'PreferNoSchedule'),
  );
}

async function cordon({ api }: World, node: string, isCordoned: boolean): Promise<void> {
  await api.patch(`/api/v1/nodes/${node}`, { spec: { unschedulable: isCordoned } });
}

/** The disruption budget refuses an eviction until enough other pods are ready. */
async function evict(world: World, { metadata: { name } }: Pod): Promise<void> {
  const { api, namespace, timeoutSeconds } = world;
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
  await eventually(`pod ${name} is evicted`, timeoutSeconds, async () => {
    try {
      await api.create(`/api/v1/namespaces/${namespace}/pods/${name}/eviction`, eviction);
      return true;
    } catch (error) {
      if (error instanceof KubernetesError && error.status === 429) return null;
      throw error;
    }
  });
  await eventually(`a pod replaces ${name}`, timeoutSeconds, async () => {
    const others = await servicePods(world);
    return others.length >= 2 && others.every(isReady) ? true : null;
  });
}
