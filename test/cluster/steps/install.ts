import { completed, helmTimeout, readyPods, type Execution, type World } from '../world.js';
import { eventually } from '../eventually.js';
import { gitHostOf } from '../companion/manifests.js';
import { type Step } from './step.js';

export const install: Step = {
  name: 'install',
  promise: 'helm install --wait ends with two ready pods.',
  async run(world) {
    const { helm, release, chart, formerChart, values } = world;
    await helm.call('install', release, formerChart ?? chart, ...values.arguments, ...helmTimeout(world));
    const pods = await readyPods(world, 2);
    return `${pods.length} pods are ready${formerChart === null ? '' : ', of the former chart'}`;
  },
};

export const helmTest: Step = {
  name: 'helm-test',
  promise: 'helm test passes.',
  async run({ helm, release }) {
    await helm.call('test', release, '--timeout', '120s');
    return 'passed';
  },
};

export const scheduledRun: Step = {
  name: 'scheduled-run',
  promise: 'A repository of a git server in the cluster is registered, and its schedule indexes it.',
  async run(world) {
    const { companion, namespace } = world;
    await companion.commit({
      'one.md': '# One\n\nThe first file of the cluster test.\n',
      'two.md': '# Two\n',
    });
    const repository = await companion.service<{ id: string }>('POST', '/api/v1/repositories', {
      git_url: `http://${gitHostOf(namespace)}/git/project.git`,
    });
    world.repositoryId = repository.id;
    const schedule = await companion.service<{ id: string }>('POST', '/api/v1/schedules', {
      repository_id: repository.id,
      cron_expression: '* * * * *',
      timezone: 'UTC',
    });
    world.scheduleId = schedule.id;
    const { id } = await eventually('the schedule starts a run', 120, async () => {
      const { items } = await companion.service<{ items: Execution[] }>(
        'GET',
        `/api/v1/executions?repository_id=${repository.id}&trigger=cron`,
      );
      return items[0] ?? null;
    });
    const run = await completed(world, id);
    // The next steps start runs themselves, at moments of their own.
    await companion.service('POST', `/api/v1/schedules/${schedule.id}/pause`);
    await assertSearchable(world);
    return `run of ${run.files_added} files completed on ${run.pod_name}`;
  },
};

async function assertSearchable({ companion }: World): Promise<void> {
  const { items } = await companion.service<{ items: { path: string }[] }>('POST', '/api/v1/search', {
    query: 'first file of the cluster test',
  });
  if (items.some(({ path }) => path === 'one.md')) return;
  throw new Error(
    `A search for words of one.md found ${items.map(({ path }) => path).join(', ') || 'nothing'}.`,
  );
}
