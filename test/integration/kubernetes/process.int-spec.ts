import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { startKubernetesStandIn } from '@devkit';
import { spawnSource } from '../../support/child-process.js';

const PROCESS = fileURLToPath(new URL('./follow-pods.ts', import.meta.url));

it('a process follows the pods by its environment alone, and nothing of it keeps the process alive', async () => {
  const cluster = await startKubernetesStandIn();
  cluster.setPod('repotide-a');
  const follower = spawnSource(PROCESS, [], { env: cluster.env });
  try {
    expect(await follower.next('info')).toMatchObject({
      message: 'pods are followed; a dead one is noticed at once',
    });
    cluster.deletePod('repotide-a');
    expect(await follower.next('gone')).toMatchObject({ podName: 'repotide-a', reason: 'deleted' });
    follower.process.kill('SIGTERM');
    expect(await follower.ended).toBe(0);
  } finally {
    follower.process.kill('SIGKILL');
    await cluster.stop();
  }
});
