import { type V1ContainerStatus, type V1Pod, type V1PodStatus } from '@kubernetes/client-node';
import { type Labels } from './label-selector.js';

/** The fields of a pod that a test sets; the others are derived from them. */
export interface PodSetting {
  labels?: Labels;
  /** Default `Running`. `Failed` and `Succeeded` end the container. */
  phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  isReady?: boolean;
  /** The pod is being deleted, and its container is in the grace period. */
  isTerminating?: boolean;
  /**
   * Default `running`. `starting`: not created yet. `crash_loop`: ended, and waiting for its next start. `absent`: without a
   * status, like that of an evicted pod.
   */
  container?: 'starting' | 'running' | 'terminated' | 'crash_loop' | 'absent';
}

/** A pod of the stand-in. It is immutable; a change creates a new object. */
export interface PodRecord extends Required<PodSetting> {
  namespace: string;
  name: string;
  uid: string;
  createdAt: Date;
  /** Part of the container's id, next to the uid, so that a restart changes the id. */
  restartCount: number;
}

const CONTAINER = 'repotide';
const IMAGE = 'registry.example/repotide:1.0.0';
const NODE = 'node-1';

/** The object as the API shows it at that version of the cluster. */
export function podObject(pod: PodRecord, resourceVersion: number): V1Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: pod.name,
      namespace: pod.namespace,
      uid: pod.uid,
      resourceVersion: `${resourceVersion}`,
      creationTimestamp: pod.createdAt,
      labels: { ...pod.labels },
      ...(pod.isTerminating ? { deletionTimestamp: pod.createdAt, deletionGracePeriodSeconds: 90 } : {}),
    },
    spec: { nodeName: NODE, restartPolicy: 'Always', containers: [{ name: CONTAINER, image: IMAGE }] },
    status: statusOf(pod),
  };
}

function statusOf(pod: PodRecord): V1PodStatus {
  return {
    phase: pod.phase,
    startTime: pod.createdAt,
    conditions: [
      { type: 'PodScheduled', status: 'True' },
      { type: 'Ready', status: pod.isReady ? 'True' : 'False', lastTransitionTime: pod.createdAt },
    ],
    ...(pod.container === 'absent'
      ? { reason: 'Evicted', message: 'The node was low on memory.' }
      : { containerStatuses: [containerStatusOf(pod)] }),
  };
}

function containerStatusOf(pod: PodRecord): V1ContainerStatus {
  const { createdAt, restartCount, container } = pod;
  const id = (run: number) => `containerd://${pod.uid}-${run}`;
  const ended = (run: number) => ({
    terminated: { containerID: id(run), exitCode: 137, reason: 'Error', finishedAt: createdAt },
  });
  const common = { name: CONTAINER, image: IMAGE, imageID: IMAGE, restartCount, ready: pod.isReady };
  switch (container) {
    case 'starting':
      return { ...common, ready: false, state: { waiting: { reason: 'ContainerCreating' } } };
    case 'terminated':
      return { ...common, ready: false, containerID: id(restartCount), state: ended(restartCount) };
    case 'crash_loop': {
      const state = { waiting: { reason: 'CrashLoopBackOff' } };
      const lastState = ended(restartCount);
      return { ...common, ready: false, containerID: id(restartCount), state, lastState };
    }
    case 'running':
    case 'absent': {
      const lastState = restartCount > 0 ? ended(restartCount - 1) : {};
      const state = { running: { startedAt: createdAt } };
      return { ...common, started: true, containerID: id(restartCount), state, lastState };
    }
  }
}

/** The wire format: Kubernetes writes times without fractions of a second. */
export function toWire(value: unknown): string {
  return JSON.stringify(value).replace(/(T\d\d:\d\d:\d\d)\.\d{3}Z"/g, '$1Z"');
}
