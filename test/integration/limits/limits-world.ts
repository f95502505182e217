import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createGitRepository, listTree, startGitLabStandIn } from '@devkit';
import { spawnSource, type SourceProcess } from '../../support/child-process.js';
import { startTestRedis } from '../../support/redis.js';
import { type PodOrders } from './pod-child.js';

const CHILD = fileURLToPath(new URL('pod-child.ts', import.meta.url));

export const WINDOW_MS = 2_000;
export const LIMIT = 60;

export interface PodReport {
  requests: number;
  retries: number;
  waits: number;
}

/** A GitLab with a limit, a Redis, and the pods of a test. */
export async function createLimitsWorld() {
  const directory = await mkdtemp(join(tmpdir(), 'repotide-limits-'));
  const redis = await startTestRedis();
  const gitlab = await startGitLabStandIn();
  const git = await createGitRepository(join(directory, 'git'), { bare: true });
  await git.write('file.txt', 'text\n').commit();
  const project = await gitlab.addProject({ path: 'team/app', gitDir: git.directory, defaultBranch: 'main' });
  const [entry] = await listTree(git.directory, 'HEAD');
  const pods: SourceProcess[] = [];

  const startPod = (podName: string, orders: Partial<PodOrders> = {}): SourceProcess => {
    const all: PodOrders = {
      podName,
      redisUrl: redis.url,
      keyPrefix: 'test',
      windowMs: WINDOW_MS,
      limits: { requests: LIMIT, concurrency: 24 },
      gitlabUrl: gitlab.url,
      token: gitlab.token,
      projectId: project.id,
      blobSha: entry!.sha,
      reads: 80,
      atOnce: 8,
      ...orders,
    };
    const pod = spawnSource(CHILD, [JSON.stringify(all)]);
    pods.push(pod);
    return pod;
  };
  return {
    redis,
    gitlab,
    startPod,
    /** The number of requests in each window of the host, from its own log. */
    perWindow(): number[] {
      const counts = new Map<number, number>();
      for (const { at } of gitlab.requests) {
        const window = Math.floor(at.getTime() / WINDOW_MS);
        counts.set(window, (counts.get(window) ?? 0) + 1);
      }
      return [...counts.values()];
    },
    refusals: () => gitlab.requests.filter(({ status }) => status === 429).length,
    async close() {
      for (const pod of pods) pod.process.kill('SIGKILL');
      await Promise.all(pods.map(({ ended }) => ended));
      await gitlab.stop();
      await redis.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
