import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { following, type PodWorld, startPodWorld, until } from './pod-world.js';

let world: PodWorld;

beforeEach(async () => {
  world = await startPodWorld((cluster) => {
    for (const name of ['repotide-a', 'repotide-b']) cluster.setPod(name);
  });
  await following(world);
});

afterEach(async () => {
  await world.stop();
  expect(world.cluster.requests.filter(({ failure }) => failure !== null)).toEqual([]);
});

/** Once this later change arrives, all earlier changes have been processed. */
async function settle(): Promise<void> {
  world.cluster.setPod('repotide-last');
  await until(() => world.directory.stateOf('repotide-last') === 'alive');
}

describe('the pod directory, for live pods,', () => {
  it('has the pods of the selection, and reports other names as unknown', () => {
    expect(world.directory.stateOf('repotide-a')).toBe('alive');
    expect(world.directory.stateOf('never-was')).toBe('unknown');
    expect(world.directory.describe()).toEqual({
      source: 'kubernetes',
      reason: 'watching the pods of namespace repotide',
    });
  });

  it('adds a new pod', async () => {
    world.cluster.setPod('repotide-c', { phase: 'Pending', container: 'starting', isReady: false });
    await until(() => world.directory.stateOf('repotide-c') === 'alive');
    world.cluster.setPod('repotide-c', { phase: 'Running', container: 'running', isReady: true });
    await settle();
    expect(world.ended).toEqual([]);
  });

  it('does not report pods as ended that are not ready, on a silent node, or being deleted', async () => {
    world.cluster.setPod('repotide-a', { isReady: false });
    world.cluster.setPod('repotide-b', { isTerminating: true, isReady: false });
    world.cluster.setPod('repotide-c');
    world.cluster.setPod('repotide-c', { phase: 'Unknown', isReady: false });
    await settle();
    expect(['a', 'b', 'c'].map((name) => world.directory.stateOf(`repotide-${name}`))).toEqual([
      'alive',
      'alive',
      'unknown',
    ]);
    expect(world.ended).toEqual([]);
  });

  it('does not report a pod as ended when its labels change, because it still runs', async () => {
    world.cluster.setPod('repotide-a', { labels: { quarantine: 'yes' } });
    await settle();
    expect(world.directory.stateOf('repotide-a')).toBe('unknown');
    world.cluster.setPod('repotide-a', { labels: { 'app.kubernetes.io/instance': 'repotide' } });
    await until(() => world.directory.stateOf('repotide-a') === 'alive');
    expect(world.ended).toEqual([]);
  });

  it('ignores those outside the selection', async () => {
    world.cluster.setPod('other', { labels: { 'app.kubernetes.io/instance': 'other' } });
    world.cluster.setPod('other', { phase: 'Failed' });
    world.cluster.deletePod('other');
    await settle();
    expect(world.directory.stateOf('other')).toBe('unknown');
    expect(world.ended).toEqual([]);
  });
});

describe('the pod directory, for pods that have ended,', () => {
  it('reports a deleted one', async () => {
    world.cluster.deletePod('repotide-a');
    await until(() => world.ended.length > 0);
    expect(world.ended).toEqual([['repotide-a', 'deleted', 'none']]);
    expect(world.directory.stateOf('repotide-a')).toBe('ended');
    expect(world.directory.stateOf('repotide-b')).toBe('alive');
  });

  it.each(['Failed', 'Succeeded'] as const)(
    'reports one that %s, but not again when it is deleted',
    async (phase) => {
      world.cluster.setPod('repotide-a', { phase });
      world.cluster.setPod('repotide-a', {
        labels: { 'app.kubernetes.io/instance': 'repotide', seen: 'yes' },
      });
      await until(() => world.directory.stateOf('repotide-a') === 'ended');
      world.cluster.deletePod('repotide-a');
      await settle();
      expect(world.ended).toEqual([['repotide-a', 'ended', 'none']]);
      expect(world.directory.stateOf('repotide-a')).toBe('ended');
    },
  );

  it('reports an evicted one, which shows no container', async () => {
    world.cluster.setPod('repotide-a', { phase: 'Failed', container: 'absent' });
    await settle();
    expect(world.ended).toEqual([['repotide-a', 'ended', 'none']]);
  });

  it('reports a pod whose container ended once, during its back-off and after its restart', async () => {
    world.cluster.setPod('repotide-a', { container: 'terminated', isReady: false });
    await until(() => world.directory.stateOf('repotide-a') === 'ended');
    world.cluster.setPod('repotide-a', { container: 'crash_loop' });
    await settle();
    expect(world.directory.stateOf('repotide-a')).toBe('ended');
    world.cluster.restartContainer('repotide-a');
    await until(() => world.directory.stateOf('repotide-a') === 'alive');
    expect(world.ended).toEqual([['repotide-a', 'ended', 'none']]);
  });

  it('reports a restarted container whose end was never visible', async () => {
    world.cluster.restartContainer('repotide-a');
    await until(() => world.ended.length > 0);
    expect(world.ended).toEqual([['repotide-a', 'restarted', 'successor']]);
    expect(world.directory.stateOf('repotide-a')).toBe('alive');
  });

  it('reports one whose name now belongs to a new pod', async () => {
    world.cluster.deletePod('repotide-a');
    world.cluster.setPod('repotide-a');
    await until(() => world.directory.stateOf('repotide-a') === 'alive' && world.ended.length > 0);
    expect(world.ended).toEqual([['repotide-a', 'replaced', 'successor']]);
  });

  it('reports those that had ended before the first list', async () => {
    await world.stop();
    world = await startPodWorld((cluster) => {
      cluster.setPod('repotide-a', { phase: 'Failed' });
      cluster.setPod('repotide-b', { container: 'crash_loop' });
      cluster.setPod('repotide-c');
      cluster.restartContainer('repotide-c');
    });
    await following(world);
    expect(world.ended).toEqual([
      ['repotide-a', 'ended', 'none'],
      ['repotide-b', 'ended', 'none'],
    ]);
  });

  it('reports each of many at once', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `worker-${index}`);
    for (const name of names) world.cluster.setPod(name);
    await until(() => world.directory.stateOf('worker-99') === 'alive');
    for (const name of names) world.cluster.deletePod(name);
    await until(() => world.ended.length === names.length);
    expect(world.ended.map(([name]) => name)).toEqual(names);
  });

  it('reports to the other listeners when one throws', async () => {
    const others: string[] = [];
    world.directory.onPodEnd(() => {
      throw new Error('no database');
    });
    world.directory.onPodEnd((podName) => others.push(podName));
    world.cluster.deletePod('repotide-a');
    world.cluster.deletePod('repotide-b');
    await until(() => others.length === 2);
    expect(
      world.log.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields.ended_pod),
    ).toEqual(['repotide-a', 'repotide-b']);
  });
});
