/**
 * A pod that takes one lease and holds it until it is killed. Prints events as JSON lines. Arguments: database,
 * pod name, repository, execution, fence, lease lifetime in milliseconds.
 */
import { createAdvisoryLeaseManager } from '@adapters/postgres';
import { toRepotideError } from '@core/domain';
import { silentLogger as logger } from '../../support/silent-logger.js';

const [url = '', podName = '', repositoryId = '', executionId = '', fence, ttl] = process.argv.slice(2);

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const ttlMs = Number(ttl);
const manager = await createAdvisoryLeaseManager({ url, podName, ttlMs, renewMs: ttlMs / 6, logger });
const lease = await manager.acquire({ repositoryId, executionId, fence: Number(fence) });
say({ event: lease === null ? 'refused' : 'held' });
lease?.signal.addEventListener('abort', () => {
  say({ event: 'lost', code: toRepotideError(lease.signal.reason).code });
});
setInterval(() => undefined, 60_000);
