import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export const REDIS_MISSING =
  'redis-server is not installed: on Debian or Ubuntu "apt-get install redis-server", on macOS "brew install redis".';

const TIMEOUT_MS = 180_000;

/** One installation at a time on this machine; the holder of the lock checks again. RUNLEVEL=1 keeps dpkg from starting a service. */
const INSTALL = `
command -v redis-server && exit 0
test "$(id -u)" = 0 && command -v apt-get || exit 0
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
install="apt-get install -y --no-install-recommends redis-server"
exec flock "\${TMPDIR:-/tmp}/repotide-redis-install.lock" sh -c "command -v redis-server || $install || { apt-get update && $install; }"`;

/**
 * Installs redis-server when it is missing and this process has the right to. A failure shows only in tests that start a
 * server; the other tests still run.
 */
export async function ensureRedisServer(): Promise<void> {
  await promisify(execFile)('sh', ['-c', INSTALL], { timeout: TIMEOUT_MS }).catch(() => undefined);
}
