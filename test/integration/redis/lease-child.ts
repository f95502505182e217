/**
 * A pod that takes one lease and holds it, for tests that kill and freeze it. Prints events as JSON lines.
 * Arguments: URL, key prefix, pod name, repository, execution, fence, TTL and renewal interval in milliseconds.
 */
import { connectRedis, createRedisLeaseManager } from '@adapters/redis';
import { silentLogger as logger } from '../../support/silent-logger.js';

const [url = '', keyPrefix = '', podName = '', repositoryId = '', executionId = '', ...numbers] =
  process.argv.slice(2);
const [fence = 0, ttlMs, renewMs] = numbers.map(Number);

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

async function hold(): Promise<void> {
  const redis = await connectRedis({ urls: [url], keyPrefix, clientName: podName, logger });
  const leases = await createRedisLeaseManager({ redis, podName, ttlMs, renewMs, logger });
  const lease = await leases.acquire({ repositoryId, executionId, fence });
  say({ event: 'asked', isHeld: lease !== null });
  if (!lease) process.exit(0);
  setInterval(() => undefined, 60_000);
  lease.signal.addEventListener('abort', () => {
    void lease.release().then(() => say({ event: 'lost', reason: (lease.signal.reason as Error).message }));
  });
}

void hold();
