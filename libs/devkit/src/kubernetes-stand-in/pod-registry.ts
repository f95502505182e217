import { randomUUID } from 'node:crypto';
import { type V1Pod } from '@kubernetes/client-node';
import { type Labels } from './label-selector.js';
import { type PodRecord, type PodSetting, podObject } from './pod-object.js';

/** One version of the cluster: a pod before and after a change. */
interface Change {
  version: number;
  before: PodRecord | null;
  after: PodRecord | null;
}

export interface PodEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  object: V1Pod;
}

/** Number of versions from which a watch may begin; older ones get 410. */
const KEPT_CHANGES = 1000;

const DEFAULTS: Required<PodSetting> = {
  labels: { 'app.kubernetes.io/part-of': 'repotide', 'app.kubernetes.io/instance': 'repotide' },
  phase: 'Running',
  isReady: true,
  isTerminating: false,
  container: 'running',
};

/** The pods of one namespace, with the cluster's version counter and a limited history. */
export class PodRegistry {
  private readonly pods = new Map<string, { record: PodRecord; version: number }>();
  private history: Change[] = [];
  private readonly followers = new Set<() => void>();
  /** Belongs to the cluster, so changes of other objects increase it too. */
  version = 1000;
  /** The oldest version from which a watch may begin. */
  oldestVersion = 1000;

  constructor(readonly namespace: string) {}

  /** Creates the pod, or changes the given fields. */
  set(name: string, setting: PodSetting): void {
    const known = this.pods.get(name)?.record;
    const isOver = setting.phase === 'Failed' || setting.phase === 'Succeeded';
    const record: PodRecord = {
      ...(known ?? this.newRecord(name)),
      ...(isOver ? { container: 'terminated', isReady: false } : {}),
      ...setting,
    };
    this.apply({ version: ++this.version, before: known ?? null, after: record });
  }

  delete(name: string): void {
    this.apply({ version: ++this.version, before: this.record(name), after: null });
  }

  restart(name: string): void {
    const before = this.record(name);
    const after: PodRecord = { ...before, restartCount: before.restartCount + 1, container: 'running' };
    this.apply({ version: ++this.version, before, after });
  }

  /** Simulates a change of other objects, and deletes the history before it. */
  compact(): void {
    this.version += 1;
    this.oldestVersion = this.version;
    this.history = [];
  }

  get(name: string): V1Pod | null {
    const pod = this.pods.get(name);
    return pod === undefined ? null : podObject(pod.record, pod.version);
  }

  list(matches: (pod: PodRecord) => boolean): V1Pod[] {
    return [...this.pods.values()]
      .filter(({ record }) => matches(record))
      .map(({ record, version }) => podObject(record, version));
  }

  /** The events for a watch with that filter from `version` on. */
  eventsSince(version: number, matches: (pod: PodRecord) => boolean): PodEvent[] {
    return this.history
      .filter((change) => change.version > version)
      .flatMap((change) => eventOf(change, matches) ?? []);
  }

  /** @returns a function that removes the listener. */
  onChange(follower: () => void): () => void {
    this.followers.add(follower);
    return () => this.followers.delete(follower);
  }

  private record(name: string): PodRecord {
    const pod = this.pods.get(name);
    if (pod === undefined) throw new Error(`There is no pod ${name}.`);
    return pod.record;
  }

  private newRecord(name: string): PodRecord {
    const createdAt = new Date();
    return { ...DEFAULTS, namespace: this.namespace, name, uid: randomUUID(), createdAt, restartCount: 0 };
  }

  private apply(change: Change): void {
    const { after, before, version } = change;
    if (after !== null) this.pods.set(after.name, { record: after, version });
    else if (before !== null) this.pods.delete(before.name);
    this.history.push(change);
    const dropped = this.history.length > KEPT_CHANGES ? this.history.shift() : undefined;
    if (dropped !== undefined) this.oldestVersion = dropped.version;
    for (const follower of this.followers) follower();
  }
}

/** A pod that starts to match a filter is added for its watcher; one that no longer matches is deleted. */
function eventOf({ version, before, after }: Change, matches: (pod: PodRecord) => boolean): PodEvent | null {
  const was = before !== null && matches(before);
  if (after !== null && matches(after)) {
    return { type: was ? 'MODIFIED' : 'ADDED', object: podObject(after, version) };
  }
  return was ? { type: 'DELETED', object: podObject(before, version) } : null;
}

export function hasLabels(matches: (labels: Labels) => boolean): (pod: PodRecord) => boolean {
  return ({ labels }) => matches(labels);
}
