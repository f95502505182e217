import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { startKubernetesStandIn } from '@devkit';
import { spawnSource } from '../../support/child-process.js';

const PROCESS = fileURLToPath(new URL('./follow-pods.ts', import.meta.url));

it('a process finds its cluster from its environment, watches its pods, and can exit', async () => {
  const cluster = await startKubernetesStandIn();
  cluster.setPod('repotide-a');
  const follower = spawnSource(PROCESS, [], { env: cluster.env });
  try {
    expect(await follower.next('info')).toMatchObject({
      message: 'pods are watched; runs of a lost pod are taken over at once',
    });
    cluster.deletePod('repotide-a');
    expect(await follower.next('ended')).toMatchObject({ podName: 'repotide-a', reason: 'deleted' });
    follower.process.kill('SIGTERM');
    expect(await follower.ended).toBe(0);
  } finally {
    follower.process.kill('SIGKILL');
    await cluster.stop();
  }
});
