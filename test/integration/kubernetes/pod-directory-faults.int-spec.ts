import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createKubernetesPodDirectory, createNoPodDirectory, findCluster } from '@adapters/kubernetes';
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

/** What an operator reads, without the lines about single pods. */
function said(): [level: string, code: unknown][] {
  return world.log.lines
    .filter(({ level, message }) => level !== 'debug' && message !== 'pod is gone')
    .map(({ level, fields }) => [level, fields.error_code]);
}

describe('a watch that breaks', () => {
  it('goes on after the server has ended it in order, without a new list', async () => {
    await startFollowing();
    await until(() => watchesOf(world.cluster) >= 3);
    world.cluster.deletePod('repotide-a');
    await until(() => world.gone.length === 1);
    expect(listsOf(world.cluster)).toBe(1);
    expect(
      world.cluster.requests.every(({ query }) => !query.watch || query.allowWatchBookmarks === 'true'),
    ).toBe(true);
  });

  it('finds by a new list what happened while the connection was cut', async () => {
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
    expect(world.gone.sort()).toEqual([
      ['repotide-a', 'deleted', 'nobody'],
      ['repotide-b', 'restarted', 'successor'],
      ['repotide-c', 'replaced', 'successor'],
    ]);
    expect(['a', 'b', 'c'].map((name) => world.directory.stateOf(`repotide-${name}`))).toEqual([
      'gone',
      'alive',
      'alive',
    ]);
  });

  it('says nothing to the operator about one cut', async () => {
    await startFollowing();
    world.cluster.cutWatches();
    await relisted(world);
    expect(said()).toEqual([['info', undefined]]);
  });

  it('notices a connection that keeps silent', async () => {
    await startFollowing();
    world.cluster.silenceWatches();
    world.cluster.deletePod('repotide-a');
    await until(() => world.gone.length === 1);
    expect(listsOf(world.cluster)).toBe(2);
  });

  it('notices a server that takes the request and never answers', async () => {
    await startFollowing();
    const heal = world.cluster.faults.add({ times: 2, effect: { kind: 'stall' } });
    world.cluster.cutWatches();
    world.cluster.deletePod('repotide-a');
    await until(() => world.gone.length === 1);
    heal();
    expect(world.cluster.requests.filter(({ fault }) => fault === 'stall')).toHaveLength(2);
  });

  it('is not misled by an event that broke off in the middle', async () => {
    await startFollowing();
    world.cluster.faults.add({ url: /watch=true/, times: 1, effect: { kind: 'cut', afterBytes: 40 } });
    await until(() => watchesOf(world.cluster) >= 2);
    world.cluster.deletePod('repotide-a');
    await until(() => world.gone.length === 1);
    expect(listsOf(world.cluster)).toBe(2);
  });

  it('keeps what a deletion means open until the API has confirmed it', async () => {
    await startFollowing();
    world.cluster.faults.add({ url: /pods\/repotide-a$/, times: 2, effect: { kind: 'status', status: 500 } });
    world.cluster.deletePod('repotide-a');
    await until(() => world.gone.length === 1);
    expect(world.gone).toEqual([['repotide-a', 'deleted', 'nobody']]);
    const asked = world.cluster.requests.filter(({ path }) => path.endsWith('/pods/repotide-a'));
    expect(asked.map(({ status }) => status)).toEqual([500, 500, 404]);
  });
});

describe('expired history', () => {
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
  ] as const)('is answered by a new list when it comes as %s', async (_, status) => {
    world = await startPodWorld((cluster) => {
      cluster.settings.bookmarkEveryMs = null;
      cluster.setPod('repotide-a');
    });
    await following(world);
    if (status === undefined) world.cluster.compact();
    else world.cluster.faults.add({ url: /watch=true/, times: 1, effect: { kind: 'status', status } });
    await relisted(world);
    world.cluster.deletePod('repotide-a');
    await until(() => world.gone.length === 1);
    expect(
      world.log.lines.filter(({ level }) => level === 'debug').map(({ fields }) => fields.error_code),
    ).toEqual(['kubernetes_history_expired']);
    expect(said()).toEqual([['info', undefined]]);
  });
});

describe('permissions', () => {
  it.each(['list', 'watch'] as const)(
    'falls back without the permission to %s, says so once, and uses it when it comes',
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
      expect(said()).toEqual([['warn', 'kubernetes_forbidden']]);
      expect(world.log.lines[0]?.fields.error).toMatch(/verbs get, list and watch on pods in that namespace/);
      world.cluster.allow();
      await following(world);
      expect(world.directory.stateOf('repotide-a')).toBe('alive');
      expect(said()).toEqual([
        ['warn', 'kubernetes_forbidden'],
        ['info', undefined],
      ]);
    },
  );

  it('proves nothing without the permission to get, and catches up when it comes', async () => {
    await startFollowing();
    world.cluster.forbid('get');
    world.cluster.deletePod('repotide-a');
    await until(() => world.directory.describe().source === 'heartbeats');
    expect(world.gone).toEqual([]);
    world.cluster.allow();
    await until(() => world.gone.length === 1);
    expect(said().filter(([level]) => level === 'warn')).toEqual([['warn', 'kubernetes_forbidden']]);
  });

  it('uses a renewed token at once', async () => {
    await startFollowing();
    await world.cluster.rotateToken();
    await until(() => watchesOf(world.cluster) >= 3);
    expect(world.cluster.requests.every(({ token }) => token === 'accepted')).toBe(true);
  });

  it('falls back on a rejected token, and recovers with a right one', async () => {
    await startFollowing();
    const dir = world.cluster.env.KUBERNETES_SERVICE_ACCOUNT_DIR ?? '';
    await writeFile(join(dir, 'token'), 'outdated');
    await until(() => world.directory.describe().source === 'heartbeats');
    await world.cluster.rotateToken();
    await following(world);
    expect(said()).toEqual([
      ['info', undefined],
      ['warn', 'kubernetes_token_rejected'],
      ['info', undefined],
    ]);
    expect(JSON.stringify([...world.log.lines, world.directory.describe()])).not.toContain('outdated');
  });

  it('falls back when a file of the service account is missing, and recovers when it is there', async () => {
    await startFollowing();
    const file = join(world.cluster.env.KUBERNETES_SERVICE_ACCOUNT_DIR ?? '', 'token');
    await rename(file, `${file}.away`);
    await until(() => world.directory.describe().source === 'heartbeats');
    expect(said().at(-1)).toEqual(['warn', 'kubernetes_service_account_missing']);
    await rename(`${file}.away`, file);
    await following(world);
  });
});

describe('without an API', () => {
  it('says once that it is out of reach, and follows when it is back', async () => {
    await startFollowing();
    const heal = world.cluster.faults.add({ effect: { kind: 'status', status: 503 } });
    world.cluster.cutWatches();
    await until(() => world.cluster.requests.filter(({ status }) => status === 503).length >= 5);
    heal();
    await following(world);
    expect(said()).toEqual([
      ['info', undefined],
      ['warn', 'kubernetes_unavailable'],
      ['info', undefined],
    ]);
  });

  it('trusts only the authority of its service account', async () => {
    const other = await startKubernetesStandIn();
    const cluster = findCluster({
      ...other.env,
      KUBERNETES_SERVICE_ACCOUNT_DIR: (world = await startPodWorld()).cluster.env
        .KUBERNETES_SERVICE_ACCOUNT_DIR,
    });
    const log = new CapturedLog();
    const directory = createKubernetesPodDirectory({
      cluster,
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

  it('does nothing outside of a cluster, and says so once', () => {
    const log = new CapturedLog();
    const options = { cluster: findCluster({}), namespace: 'repotide', labelSelector: '', logger: log };
    const directory = createKubernetesPodDirectory(options);
    directory.start(new AbortController().signal);
    expect(directory.stateOf('repotide-a')).toBe('unknown');
    expect(directory.describe().source).toBe('heartbeats');
    expect(log.lines.map(({ level, message }) => [level, message])).toEqual([
      ['info', 'pods are not followed; heartbeats decide'],
    ]);
  });

  it('that nobody asks for says so once too, with the reason', () => {
    const log = new CapturedLog();
    const directory = createNoPodDirectory('POD_NAMESPACE is not set', log);
    directory.start(new AbortController().signal);
    const reason = 'POD_NAMESPACE is not set';
    expect(directory.describe()).toEqual({ source: 'heartbeats', reason });
    expect(log.lines.map(({ level, message, fields }) => ({ level, message, fields }))).toEqual([
      { level: 'info', message: 'pods are not followed; heartbeats decide', fields: { reason } },
    ]);
  });

  it('asks nothing more once it is stopped, and lets its connections go', async () => {
    await startFollowing();
    world.stopFollowing();
    await until(() => world.cluster.watchCount() === 0);
    world.cluster.deletePod('repotide-a');
    expect(world.directory.stateOf('repotide-b')).toBe('unknown');
    const asked = world.cluster.requests.length;
    await world.cluster.stop();
    expect(world.cluster.requests).toHaveLength(asked);
    expect(world.gone).toEqual([]);
  });
});
