/**
 * A process that starts embedded PostgreSQL as Repotide does, for tests that kill it. It reports events in JSON lines.
 * Arguments: the data directory, and the action once the server is ready:
 * `stop` stops at once, `hold` waits for SIGTERM, `drain` works on after SIGINT and then stops, `exit` calls exit without
 * stopping, `end` returns without stopping.
 */
import { startEmbeddedPostgres } from '@adapters/postgres';
import { toRepotideError } from '@core/domain';
import { onServer } from './postgres-url.js';
import { silentLogger } from './silent-logger.js';

const DRAIN_MS = 300;
const [dataDir = '', ending = 'stop'] = process.argv.slice(2);

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function run(): Promise<void> {
  const server = await startEmbeddedPostgres({ dataDir, logger: silentLogger, isDurable: false });
  const stop = async (): Promise<void> => {
    await server.stop();
    say({ event: 'stopped' });
    process.exit(0);
  };
  if (ending === 'hold' || ending === 'drain') setInterval(() => undefined, 60_000);
  process.once('SIGTERM', () => void stop());
  process.once('SIGINT', () => {
    setTimeout(() => {
      onServer(server.url, (client) => client.query('SELECT 1'))
        .then(
          () => say({ event: 'drained' }),
          (error: Error) => say({ event: 'failed', message: error.message }),
        )
        .finally(() => void stop());
    }, DRAIN_MS);
  });
  say({ event: 'ready', url: server.url, pid: process.pid });
  if (ending === 'stop') await stop();
  if (ending === 'exit') process.exit(0);
}

run().catch((thrown: unknown) => {
  const { kind, code, message } = toRepotideError(thrown);
  say({ event: 'failed', kind, code, message });
  process.exitCode = 1;
});
