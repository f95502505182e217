import { type V1ContainerStatus, type V1Pod, type V1PodStatus } from '@kubernetes/client-node';
import { type Labels } from './label-selector.js';

/** What a test decides about a pod; the rest of the object follows from it. */
export interface PodSetting {
  labels?: Labels;
  /** Default `Running`. `Failed` and `Succeeded` end the container. */
  phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  isReady?: boolean;
  /** Deletion has begun, and the container has its grace period. */
  isTerminating?: boolean;
  /**
   * Default `running`. `starting`: not yet made. `crash_loop`: ended, waits for its next start. `absent`: no status at
   * all, as of an evicted pod.
   */
  container?: 'starting' | 'running' | 'terminated' | 'crash_loop' | 'absent';
}

/** A pod of the stand-in; a change makes a new one. */
export interface PodRecord extends Required<PodSetting> {
  namespace: string;
  name: string;
  uid: string;
  createdAt: Date;
  /** A container id is made of the uid and this, so a restart changes it. */
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

/** As it goes over the wire: Kubernetes writes times without fractions of a second. */
export function toWire(value: unknown): string {
  return JSON.stringify(value).replace(/(T\d\d:\d\d:\d\d)\.\d{3}Z"/g, '$1Z"');
}
