import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Companion } from './companion/companion-client.js';
import { diagnose } from './diagnosis.js';
import { eventually } from './eventually.js';
import { formerChart } from './former-chart.js';
import { findHelm, Helm } from './helm.js';
import { type KubernetesApi, type KubernetesObject } from './kubernetes-api.js';
import { objectsOf } from './leftovers.js';
import { type Options } from './options.js';
import { type ClusterReport, type StepResult } from './report.js';
import { STEPS } from './steps/index.js';
import { writeValues } from './values.js';
import { type World } from './world.js';

const CHART = fileURLToPath(new URL('../../deploy/helm/repotide', import.meta.url));
const RELEASE = 'repotide';

export interface Surroundings {
  api: KubernetesApi;
  /** For files of the test; the caller removes it. */
  folder: string;
  say: (line: string) => void;
}

/** Runs all steps in a new namespace, and removes it. The steps after a failed one are not run. */
export async function perform(options: Options, { api, folder, say }: Surroundings): Promise<ClusterReport> {
  const namespace = options.namespace ?? `repotide-cluster-test-${randomBytes(3).toString('hex')}`;
  const { gitVersion } = await api.get<{ gitVersion: string }>('/version');
  const nodes = await api.list('/api/v1/nodes');
  const isPersistent = await hasDefaultStorage(api);
  const storage = isPersistent
    ? 'volumes of the default StorageClass'
    : 'no default StorageClass, so the trial has no volumes';
  say(
    `Kubernetes ${gitVersion} at ${api.server}, ${nodes.length} node(s); namespace ${namespace}; ${storage}`,
  );
  const helm = new Helm(findHelm(options.helm), { namespace, folder });
  const former = options.from === null ? null : await formerChart(options.from, folder);
  await createNamespace(api, namespace);
  let steps: StepResult[];
  let companion: Companion | null = null;
  try {
    const before = await objectsAtStart(api, namespace);
    const token = randomBytes(16).toString('hex');
    const serviceUrl = `http://${RELEASE}.${namespace}.svc`;
    companion = await Companion.start(api, { namespace, image: options.image, serviceUrl, token });
    const trial = `${CHART}/ci/trial-values.yaml`;
    const values = await writeValues(folder, trial, { image: options.image, namespace, token, isPersistent });
    if (options.valuesFile !== null) values.arguments.push('--values', options.valuesFile);
    const { timeoutSeconds, image } = options;
    const world: World = {
      ...{ api, helm, companion, namespace, release: RELEASE, image, chart: CHART, formerChart: former },
      ...{ values, timeoutSeconds, before, repositoryId: '', scheduleId: '' },
    };
    steps = await runSteps(world, options.keep, say);
  } finally {
    companion?.close();
    if (!options.keep) await removeNamespace(api, namespace, say);
  }
  const isPassed = steps.every(({ outcome }) => outcome !== 'failed');
  return {
    ...{ kubernetes: gitVersion, nodes: nodes.length, image: options.image, storage },
    ...{ formerChart: options.from, steps, isPassed },
  };
}

async function runSteps(world: World, isKept: boolean, say: Surroundings['say']): Promise<StepResult[]> {
  const results: StepResult[] = [];
  for (const { name, promise, run } of STEPS) {
    const hasFailed = results.some(({ outcome }) => outcome === 'failed');
    const isLeftOut = hasFailed || (isKept && name === 'uninstall');
    if (isLeftOut) {
      const detail = hasFailed ? 'a step before it failed' : '--keep';
      results.push({ step: name, promise, outcome: 'not run', seconds: 0, detail });
      continue;
    }
    say(`${name}: ${promise}`);
    const begin = Date.now();
    const result = await run(world).then(
      (detail) => ({ outcome: 'passed' as const, detail }),
      (error: Error) => ({ outcome: 'failed' as const, detail: error.message }),
    );
    const seconds = (Date.now() - begin) / 1000;
    say(`${name}: ${result.outcome} after ${seconds.toFixed(0)} s: ${result.detail}`);
    results.push({ step: name, promise, seconds, ...result });
    if (result.outcome === 'failed')
      for (const line of await diagnose(world.api, world.namespace).catch((error: Error) => [error.message]))
        say(line);
  }
  return results;
}

async function hasDefaultStorage(api: KubernetesApi): Promise<boolean> {
  const classes = await api.list('/apis/storage.k8s.io/v1/storageclasses');
  const mark = 'storageclass.kubernetes.io/is-default-class';
  return classes.some(({ metadata }) => metadata.annotations?.[mark] === 'true');
}

async function createNamespace(api: KubernetesApi, name: string): Promise<void> {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await api.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
}

/** Controllers add a ServiceAccount and a ConfigMap to each namespace. */
function objectsAtStart(api: KubernetesApi, namespace: string): Promise<World['before']> {
  return eventually('the namespace has its default objects', 60, async () => {
    const objects = await objectsOf(api, namespace);
    return objects.has('serviceaccounts/default') && objects.has('configmaps/kube-root-ca.crt')
      ? objects
      : null;
  });
}

async function removeNamespace(
  api: KubernetesApi,
  namespace: string,
  say: Surroundings['say'],
): Promise<void> {
  await api.delete(`/api/v1/namespaces/${namespace}`);
  await eventually(`namespace ${namespace} is deleted`, 180, async () =>
    (await api.find<KubernetesObject>(`/api/v1/namespaces/${namespace}`)) === null ? true : null,
  ).catch((error: Error) => say(error.message));
}
