import { type Companion } from './companion/companion-client.js';
import { eventually } from './eventually.js';
import { type Helm } from './helm.js';
import { type KubernetesApi, type KubernetesObject } from './kubernetes-api.js';
import { type ObjectList } from './leftovers.js';
import { type Values } from './values.js';

export interface Pod extends KubernetesObject {
  spec: { nodeName?: string };
  status: {
    phase?: string;
    conditions?: { type: string; status: string }[];
    containerStatuses?: {
      state?: { terminated?: Terminated };
      lastState?: { terminated?: Terminated };
    }[];
  };
}
interface Terminated {
  exitCode: number;
  message?: string;
}

export interface Execution {
  id: string;
  status: string;
  trigger: string;
  pod_name: string | null;
  attempt: number;
  interruptions: number;
  error_message: string | null;
  files_added: number;
}

/** What the steps share. Each step leaves the release healthy for the next. */
export interface World {
  api: KubernetesApi;
  helm: Helm;
  companion: Companion;
  namespace: string;
  release: string;
  image: string;
  /** Folder of the chart that is tested. */
  chart: string;
  /** Folder of the former chart, from which the test upgrades; null: none is given. */
  formerChart: string | null;
  /** File with the values of the release. */
  values: Values;
  timeoutSeconds: number;
  /** Objects of the namespace before anything was installed. */
  before: ObjectList;
  /** The repository that the steps sync; set by the step that registers it. */
  repositoryId: string;
  scheduleId: string;
}

export function helmTimeout({ timeoutSeconds }: World): string[] {
  return ['--wait', '--timeout', `${timeoutSeconds}s`];
}

/** The pods of the service itself, without those that are being deleted. */
export async function servicePods({ api, namespace, release }: World): Promise<Pod[]> {
  const selector = `app.kubernetes.io/name=repotide,app.kubernetes.io/instance=${release},app.kubernetes.io/component=all`;
  const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=${encodeURIComponent(selector)}`;
  const pods = await api.list<Pod>(path);
  return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

export function isReady({ status }: Pod): boolean {
  return status.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') ?? false;
}

/** Waits until exactly so many pods of the service exist, all ready. */
export function readyPods(world: World, count: number): Promise<Pod[]> {
  return eventually(`${count} ready pods of the service`, world.timeoutSeconds, async () => {
    const pods = await servicePods(world);
    return pods.length === count && pods.every(isReady) ? pods : null;
  });
}

export function execution({ companion }: World, id: string): Promise<Execution> {
  return companion.service('GET', `/api/v1/executions/${id}`);
}

/** Waits until the run ends, which must be a success. */
export async function completed(world: World, id: string, seconds = 120): Promise<Execution> {
  const run = await eventually(`run ${id} ends`, seconds, async () => {
    const found = await execution(world, id);
    return ['queued', 'running'].includes(found.status) ? null : found;
  });
  if (run.status !== 'completed')
    throw new Error(`Run ${id} ended as ${run.status}: ${run.error_message ?? 'no message'}`);
  return run;
}

/** @returns the id of the execution. */
export async function startSync({ companion, repositoryId }: World): Promise<string> {
  const path = `/api/v1/repositories/${repositoryId}/sync`;
  return (await companion.service<{ execution_id: string }>('POST', path)).execution_id;
}

/** Starts a run that waits for the git server, and waits until a pod works on it. Release it with `companion.release`. */
export async function heldRun(
  world: World,
  files: Record<string, string>,
): Promise<Execution & { pod_name: string }> {
  const { companion } = world;
  await companion.commit(files);
  await companion.hold();
  const id = await startSync(world);
  return eventually('a pod works on the run', 60, async () => {
    const found = await execution(world, id);
    return found.status === 'running' && found.pod_name !== null
      ? { ...found, pod_name: found.pod_name }
      : null;
  });
}

/** Keeps requests coming while the work is done. @throws Error when one of them failed. */
export async function underLoad<T>(
  { companion }: World,
  work: () => Promise<T>,
): Promise<{ result: T; requests: number }> {
  await companion.startLoad();
  let outcome: { result: T } | { error: unknown };
  try {
    outcome = { result: await work() };
  } catch (error) {
    outcome = { error };
  }
  const { requests, failures } = await companion.stopLoad();
  if ('error' in outcome) throw outcome.error;
  if (failures.length > 0)
    throw new Error(
      `${failures.length} of ${requests} requests failed:\n    ${failures.slice(0, 10).join('\n    ')}`,
    );
  return { ...outcome, requests };
}
