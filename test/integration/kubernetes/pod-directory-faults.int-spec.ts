import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createNoPodDirectory, findCluster, KubernetesPodDirectory } from '@adapters/kubernetes';
import { startKubernetesStandIn } from '@devkit';
import { CapturedLog } from '../../support/captured-log.js';
import { following, listsOf, type PodWorld, relisted, startPodWorld, until, watchesOf } from './pod-world.js';

let world: PodWorld;

afterEach(() => world.stop());

async function startFollowing(): Promise<void> {
  world = await startPodWorld((cluster) => {
    for (const name of ['repotide-a', 'repotide-b', 'repotide-c']) cluster.setPod(name);
  });
  await following(world);
}

/** The log lines without those about single pods. */
function logged(): [level: string, code: unknown][] {
  return world.log.lines
    .filter(({ level, message }) => level !== 'debug' && message !== 'pod has ended')
    .map(({ level, fields }) => [level, fields.error_code]);
}

describe('a broken pod watch', () => {
  it('continues without a new list when the server ends it after its timeout', async () => {
    await startFollowing();
    await until(() => watchesOf(world.cluster) >= 3);
    world.cluster.deletePod('repotide-a');
    await until(() => world.ended.length === 1);
    expect(listsOf(world.cluster)).toBe(1);
    expect(
      world.cluster.requests.every(({ query }) => !query.watch || query.allowWatchBookmarks === 'true'),
    ).toBe(true);
  });

  it('finds the changes during a broken connection by a new list', async () => {
    await startFollowing();
    const heal = world.cluster.faults.add({ effect: { kind: 'cut' } });
    world.cluster.cutWatches();
    await until(() => world.directory.describe().source === 'heartbeats');
    expect(world.directory.stateOf('repotide-a')).toBe('unknown');
    world.cluster.deletePod('repotide-a');
    world.cluster.restartContainer('repotide-b');
    world.cluster.deletePod('repotide-c');
    world.cluster.setPod('repotide-c');
    heal();
    await following(world);
    expect(world.ended.sort()).toEqual([
      ['repotide-a', 'deleted', 'none'],
      ['repotide-b', 'restarted', 'successor'],
      ['repotide-c', 'replaced', 'successor'],
    ]);
    expect(['a', 'b', 'c'].map((name) => world.directory.stateOf(`repotide-${name}`))).toEqual([
      'ended',
      'alive',
      'alive',
    ]);
  });

  it('is not logged as a warning after a single broken connection', async () => {
    await startFollowing();
    world.cluster.cutWatches();
    await relisted(world);
    expect(logged()).toEqual([['info', undefined]]);
  });

  it('is replaced when the connection is silent', async () => {
    await startFollowing();
    world.cluster.silenceWatches();
    world.cluster.deletePod('repotide-a');
    await until(() => world.ended.length === 1);
    expect(listsOf(world.cluster)).toBe(2);
  });

  it('is replaced when the server accepts the request and never responds', async () => {
    await startFollowing();
    const heal = world.cluster.faults.add({ times: 2, effect: { kind: 'stall' } });
    world.cluster.cutWatches();
    world.cluster.deletePod('repotide-a');
    await until(() => world.ended.length === 1);
    heal();
    expect(world.cluster.requests.filter(({ fault }) => fault === 'stall')).toHaveLength(2);
  });

  it('lists again after an incomplete event', async () => {
    await startFollowing();
    world.cluster.faults.add({ url: /watch=true/, times: 1, effect: { kind: 'cut', afterBytes: 40 } });
    await until(() => watchesOf(world.cluster) >= 2);
    world.cluster.deletePod('repotide-a');
    await until(() => world.ended.length === 1);
    expect(listsOf(world.cluster)).toBe(2);
  });

  it('reports a deleted pod only when the API has confirmed the deletion', async () => {
    await startFollowing();
    world.cluster.faults.add({ url: /pods\/repotide-a$/, times: 2, effect: { kind: 'status', status: 500 } });
    world.cluster.deletePod('repotide-a');
    await until(() => world.ended.length === 1);
    expect(world.ended).toEqual([['repotide-a', 'deleted', 'none']]);
    const asked = world.cluster.requests.filter(({ path }) => path.endsWith('/pods/repotide-a'));
    expect(asked.map(({ status }) => status)).toEqual([500, 500, 404]);
  });
});

describe('an expired resource version of the pod watch', () => {
  it('is avoided by bookmarks', async () => {
    await startFollowing();
    for (const round of [2, 3, 4]) {
      world.cluster.compact();
      await until(() => watchesOf(world.cluster) >= round);
    }
    expect(listsOf(world.cluster)).toBe(1);
  });

  it.each([
    ['an event', undefined],
    ['a status', 410],
  ] as const)('leads to a new list when it is reported as %s', async (_, status) => {
    world = await startPodWorld((cluster) => {
      cluster.settings.bookmarkEveryMs = null;
      cluster.setPod('repotide-a');
    });
    await following(world);
    if (status === undefined) world.cluster.compact();
    else world.cluster.faults.add({ url: /watch=true/, times: 1, effect: { kind: 'status', status } });
    await relisted(world);
    world.cluster.deletePod('repotide-a');
    await until(() => world.ended.length === 1);
    expect(
      world.log.lines.filter(({ level }) => level === 'debug').map(({ fields }) => fields.error_code),
    ).toEqual(['kubernetes_history_expired']);
    expect(logged()).toEqual([['info', undefined]]);
  });
});

describe('permissions of the pod watch', () => {
  it.each(['list', 'watch'] as const)(
    'without %s: falls back to heartbeats, logs it once, and recovers when it is granted',
    async (verb) => {
      world = await startPodWorld((cluster) => {
        cluster.setPod('repotide-a');
        cluster.forbid(verb);
      });
      await until(() => world.cluster.requests.filter(({ status }) => status === 403).length >= 5);
      expect(world.directory.stateOf('repotide-a')).toBe('unknown');
      expect(world.directory.describe()).toEqual({
        source: 'heartbeats',
        reason: expect.stringMatching(/403.*get, list and watch on pods/) as unknown as string,
      });
      expect(logged()).toEqual([['warn', 'kubernetes_forbidden']]);
      expect(world.log.lines[0]?.fields.error).toMatch(/verbs get, list and watch on pods in that namespace/);
      world.cluster.allow();
      await following(world);
      expect(world.directory.stateOf('repotide-a')).toBe('alive');
      expect(logged()).toEqual([
        ['warn', 'kubernetes_forbidden'],
        ['info', undefined],
      ]);
    },
  );

  it('without get: reports no pod as ended until it is granted', async () => {
    await startFollowing();
    world.cluster.forbid('get');
    world.cluster.deletePod('repotide-a');
    await until(() => world.directory.describe().source === 'heartbeats');
    expect(world.ended).toEqual([]);
    world.cluster.allow();
    await until(() => world.ended.length === 1);
    expect(logged().filter(([level]) => level === 'warn')).toEqual([['warn', 'kubernetes_forbidden']]);
  });

  it('use a renewed token at once', async () => {
    await startFollowing();
    await world.cluster.rotateToken();
    await until(() => watchesOf(world.cluster) >= 3);
    expect(world.cluster.requests.every(({ token }) => token === 'accepted')).toBe(true);
  });

  it('fall back to heartbeats on a rejected token, and recover with a valid one', async () => {
    await startFollowing();
    const dir = world.cluster.env.KUBERNETES_SERVICE_ACCOUNT_DIR ?? '';
    await writeFile(join(dir, 'token'), 'outdated');
    await until(() => world.directory.describe().source === 'heartbeats');
    await world.cluster.rotateToken();
    await following(world);
    expect(logged()).toEqual([
      ['info', undefined],
      ['warn', 'kubernetes_token_rejected'],
      ['info', undefined],
    ]);
    expect(JSON.stringify([...world.log.lines, world.directory.describe()])).not.toContain('outdated');
  });

  it('fall back to heartbeats without the token file, and recover when it is back', async () => {
    await startFollowing();
    const file = join(world.cluster.env.KUBERNETES_SERVICE_ACCOUNT_DIR ?? '', 'token');
    await rename(file, `${file}.away`);
    await until(() => world.directory.describe().source === 'heartbeats');
    expect(logged().at(-1)).toEqual(['warn', 'kubernetes_service_account_missing']);
    await rename(`${file}.away`, file);
    await following(world);
  });
});

describe('the Kubernetes API', () => {
  it('is logged as unavailable once, and pods are watched again when it is back', async () => {
    await startFollowing();
    const heal = world.cluster.faults.add({ effect: { kind: 'status', status: 503 } });
    world.cluster.cutWatches();
    await until(() => world.cluster.requests.filter(({ status }) => status === 503).length >= 5);
    heal();
    await following(world);
    expect(logged()).toEqual([
      ['info', undefined],
      ['warn', 'kubernetes_unavailable'],
      ['info', undefined],
    ]);
  });

  it('is trusted only with a certificate of the service account’s authority', async () => {
    const other = await startKubernetesStandIn();
    const cluster = findCluster({
      ...other.env,
      KUBERNETES_SERVICE_ACCOUNT_DIR: (world = await startPodWorld()).cluster.env
        .KUBERNETES_SERVICE_ACCOUNT_DIR,
    });
    const log = new CapturedLog();
    const directory = new KubernetesPodDirectory({
      cluster: cluster!,
      namespace: 'repotide',
      labelSelector: '',
      logger: log,
    });
    const ending = new AbortController();
    directory.start(ending.signal);
    await until(() => log.lines.length > 0);
    ending.abort();
    expect(log.lines[0]?.fields.error).toMatch(/SIGNATURE|SELF_SIGNED/);
    expect(other.requests).toEqual([]);
    await other.stop();
  });

  it('is replaced by heartbeats outside a cluster, which is logged once with the reason', () => {
    expect(findCluster({})).toBeNull();
    const log = new CapturedLog();
    const reason = 'POD_NAMESPACE is not set';
    const directory = createNoPodDirectory(reason, log);
    directory.start(new AbortController().signal);
    expect(directory.stateOf('repotide-a')).toBe('unknown');
    expect(directory.describe()).toEqual({ source: 'heartbeats', reason });
    expect(log.lines.map(({ level, message, fields }) => ({ level, message, fields }))).toEqual([
      { level: 'info', message: 'pods are not watched; take-over uses heartbeats', fields: { reason } },
    ]);
  });

  it('gets no more requests after the stop, and its connections are closed', async () => {
    await startFollowing();
    world.stopFollowing();
    await until(() => world.cluster.watchCount() === 0);
    world.cluster.deletePod('repotide-a');
    expect(world.directory.stateOf('repotide-b')).toBe('unknown');
    const asked = world.cluster.requests.length;
    await world.cluster.stop();
    expect(world.cluster.requests).toHaveLength(asked);
    expect(world.ended).toEqual([]);
  });
});
