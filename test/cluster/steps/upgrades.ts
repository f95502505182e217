import { eventually } from '../eventually.js';
import {
  completed,
  helmTimeout,
  isReady,
  readyPods,
  servicePods,
  startSync,
  underLoad,
  type Pod,
  type World,
} from '../world.js';
import { type Step } from './step.js';

export const rollingRestart: Step = {
  name: 'rolling-restart',
  promise: 'All pods of the Deployment are replaced under load, and no request fails.',
  async run(world) {
    const { api, namespace, release } = world;
    const former = new Set((await servicePods(world)).map(({ metadata }) => metadata.name));
    const deployment = await deploymentOf(world);
    const { requests } = await underLoad(world, async () => {
      const annotations = { 'kubectl.kubernetes.io/restartedAt': new Date().toISOString() };
      await api.patch(`/apis/apps/v1/namespaces/${namespace}/deployments/${deployment}`, {
        spec: { template: { metadata: { annotations } } },
      });
      await eventually(`new pods replace those of ${release}`, world.timeoutSeconds, () =>
        replaced(world, former),
      );
    });
    return `${former.size} pods replaced, ${requests} requests, none failed`;
  },
};

export const upgrade: Step = {
  name: 'upgrade',
  promise: 'helm upgrade replaces all pods under load; no request fails, and nothing is lost.',
  async run(world) {
    const { helm, release, chart, formerChart, values, companion } = world;
    const { requests } = await underLoad(world, () =>
      // Without a former chart the pods are replaced because of a setting.
      helm.call(
        'upgrade',
        release,
        chart,
        ...values.arguments,
        '--set',
        'config.LOG_LEVEL=debug',
        ...helmTimeout(world),
      ),
    );
    await readyPods(world, 2);
    await companion.commit({ 'five.md': '# Five\n' });
    await completed(world, await startSync(world));
    const what = formerChart === null ? 'of the same chart, with another setting' : 'from the former chart';
    return `${what}: ${requests} requests, none failed; a sync afterwards completed`;
  },
};

const REFUSED = ['--set', 'extraEnv[0].name=SCHEDULE_POLL_SECONDS', '--set', 'extraEnv[0].value=nonsense'];

export const failedUpgrade: Step = {
  name: 'failed-upgrade',
  promise:
    'An upgrade with a setting that the program refuses fails; the former pods serve on, and the pod says why.',
  async run(world) {
    const { helm, release, chart, values } = world;
    const { result, requests } = await underLoad(world, async () => {
      const upgraded = helm
        .call('upgrade', release, chart, ...values.arguments, ...REFUSED, '--wait', '--timeout', '60s')
        .then(
          () => 'succeeded',
          (error: Error) => error.message,
        );
      const message = await eventually('a new pod ends because of the setting', 60, () => refusal(world));
      return { message, outcome: await upgraded };
    });
    if (result.outcome === 'succeeded')
      throw new Error('helm upgrade --wait succeeded with a refused setting.');
    if ((await helm.statusOf(release)) !== 'failed') throw new Error('The release is not marked as failed.');
    if (!result.message.includes('SCHEDULE_POLL_SECONDS'))
      throw new Error(`The message of the pod does not name the setting: ${result.message}`);
    return `Helm reports the failure, the pod's message names SCHEDULE_POLL_SECONDS; ${requests} requests, none failed`;
  },
};

export const rollback: Step = {
  name: 'roll-back',
  promise: 'helm rollback restores the revision before the failed one.',
  async run(world) {
    const { helm, release } = world;
    const { requests } = await underLoad(world, () => helm.call('rollback', release, ...helmTimeout(world)));
    await readyPods(world, 2);
    return `two pods are ready; ${requests} requests, none failed`;
  },
};

async function deploymentOf({ api, namespace, release }: World): Promise<string> {
  const selector = encodeURIComponent(
    `app.kubernetes.io/instance=${release},app.kubernetes.io/component=all`,
  );
  const [deployment] = await api.list(
    `/apis/apps/v1/namespaces/${namespace}/deployments?labelSelector=${selector}`,
  );
  if (!deployment) throw new Error(`There is no Deployment of the release ${release}.`);
  return deployment.metadata.name;
}

async function replaced(world: World, former: ReadonlySet<string>): Promise<Pod[] | null> {
  const pods = await servicePods(world);
  const areNew = pods.length === 2 && pods.every((pod) => isReady(pod) && !former.has(pod.metadata.name));
  return areNew ? pods : null;
}

/** What a container wrote before it ended with 78, the exit code of an invalid setting. */
async function refusal(world: World): Promise<string | null> {
  const containers = (await servicePods(world)).flatMap(({ status }) => status.containerStatuses ?? []);
  const ends = containers.flatMap(({ state, lastState }) => [state?.terminated, lastState?.terminated]);
  return ends.find((end) => end?.exitCode === 78)?.message ?? null;
}
