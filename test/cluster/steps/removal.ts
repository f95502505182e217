import { Companion } from '../companion/companion-client.js';
import { eventually } from '../eventually.js';
import { leftOver, objectsOf } from '../leftovers.js';
import { type World } from '../world.js';
import { type Step } from './step.js';

export const refusedInstallation: Step = {
  name: 'refused-installation',
  promise:
    'A setting that the program refuses fails the migration at once, and uninstalling leaves nothing behind.',
  async run(world) {
    const { api, helm, chart, image, namespace, release, values } = world;
    const before = await objectsOf(api, namespace);
    const other = `${release}-refused`;
    const begin = Date.now();
    const outcome = await helm
      .call(
        ...[
          'install',
          other,
          chart,
          ...values.arguments,
          '--set',
          'trial.enabled=false',
          '--set',
          'migration.enabled=true',
        ],
        ...['--set', 'secrets.values.DATABASE_URL=postgres://repotide:unused@postgres.invalid:5432/repotide'],
        ...['--set', 'extraEnv[0].name=SCHEDULE_POLL_SECONDS', '--set', 'extraEnv[0].value=nonsense'],
        ...['--wait', '--timeout', '180s'],
      )
      .then(
        () => null,
        (error: Error) => error.message,
      );
    const seconds = (Date.now() - begin) / 1000;
    if (outcome === null)
      throw new Error(`helm install succeeded with a refused setting and the image ${image}.`);
    if (/timed out/.test(outcome)) throw new Error(`The migration did not fail by itself: ${outcome}`);
    await helm.call('uninstall', other, '--wait', '--timeout', '120s');
    await nothingLeft(world, before);
    return `failed after ${seconds.toFixed(0)} s; nothing is left behind`;
  },
};

export const uninstall: Step = {
  name: 'uninstall',
  promise:
    'helm uninstall leaves nothing behind but the volumes of the trial, which the documented command deletes.',
  async run(world) {
    const { api, helm, namespace, release, before, companion, timeoutSeconds } = world;
    await helm.call('uninstall', release, '--wait', '--timeout', `${timeoutSeconds}s`);
    companion.close();
    await Companion.remove(api, namespace);
    const claims = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
    const selector = encodeURIComponent(`app.kubernetes.io/instance=${release}`);
    const volumes = await api.list(`${claims}?labelSelector=${selector}`);
    for (const { metadata } of volumes) await api.delete(`${claims}/${metadata.name}`);
    await nothingLeft(world, before);
    return `nothing is left behind; ${volumes.length} volumes of the trial were deleted by their label`;
  },
};

/** Pods and what controllers made for them end a little later. */
async function nothingLeft({ api, namespace }: World, before: World['before']): Promise<void> {
  let left: string[] = [];
  await eventually('nothing is left behind', 90, async () => {
    left = await leftOver(api, namespace, before);
    return left.length === 0 ? true : null;
  }).catch((error: Error) => {
    throw left.length > 0 ? new Error(`Left behind: ${left.join(', ')}.`) : error;
  });
}
