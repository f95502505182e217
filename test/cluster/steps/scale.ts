import { eventually } from '../eventually.js';
import { helmTimeout, readyPods, underLoad, type World } from '../world.js';
import { type Step } from './step.js';

export const scale: Step = {
  name: 'scale',
  promise: 'Three pods, then one, then two: each number works together, and no request fails.',
  async run(world) {
    const { requests } = await underLoad(world, async () => {
      for (const count of [3, 1, 2]) await scaleTo(world, count);
    });
    return `${requests} requests, none failed`;
  },
};

async function scaleTo(world: World, count: number): Promise<void> {
  const { helm, release, chart, values, companion } = world;
  const replicas = ['--set', `components.all.replicas=${count}`];
  await helm.call('upgrade', release, chart, ...values.arguments, ...replicas, ...helmTimeout(world));
  const names = (await readyPods(world, count)).map(({ metadata }) => metadata.name).sort();
  await eventually(`the service counts ${count} live pods and a leader`, 120, async () => {
    const { pods, leader } = await companion.service<Cluster>('GET', '/api/v1/cluster');
    const alive = pods.filter(({ is_alive: isAlive }) => isAlive).map(({ pod_name: name }) => name);
    return alive.sort().join() === names.join() && leader !== null && names.includes(leader) ? true : null;
  });
}

interface Cluster {
  leader: string | null;
  pods: { pod_name: string; is_alive: boolean }[];
}
