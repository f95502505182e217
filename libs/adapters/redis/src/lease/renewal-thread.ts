/**
 * The thread that renews leases, on its own connections: run handlers may block the main event loop for seconds.
 * It decides nothing: it writes the times of successful renewals to shared memory, and the main thread reads them.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { type Logger } from '@core/domain';
import { failFast } from '../connection-options.js';
import { renewKey } from '../owned-key.js';
import { sendToAll, describeFailures, quorumOf } from '../quorum.js';
import { RedisServer } from '../redis-server.js';
import {
  type FromRenewalThread,
  type RenewalOrder,
  type RenewalThreadData,
  type ToRenewalThread,
} from './renewal-messages.js';
import { monotonicMs, SharedInstant } from './shared-instant.js';

/** After a failure the next renewal comes sooner. */
const RETRY_SHARE = 1 / 4;

const { urls, settings, ttlMs, renewMs, mainSilenceLimitMs, ...data } = workerData as RenewalThreadData;
const mainSeenAt = new SharedInstant(data.mainSeenAt);
// A renewal without a reply must not delay the next one.
const commandTimeoutMs = Math.min(settings.commandTimeoutMs, renewMs);
const servers = urls.map(
  (url) => new RedisServer(url, failFast({ ...settings, commandTimeoutMs }), 'renewal', silent()),
);
const quorum = quorumOf(servers);
const timers = new Map<number, NodeJS.Timeout>();

function send(message: FromRenewalThread): void {
  parentPort?.postMessage(message);
}

function renewLater(order: RenewalOrder, delayMs: number): void {
  timers.set(
    order.id,
    setTimeout(() => void renew(order), delayMs),
  );
}

async function renew(order: RenewalOrder): Promise<void> {
  const sentAt = monotonicMs();
  // A hung main thread must not hold its leases forever; renewal resumes when it runs again.
  if (sentAt - mainSeenAt.get() > mainSilenceLimitMs) return renewLater(order, renewMs * RETRY_SHARE);
  const { successes, failures } = await sendToAll(servers, ({ client }) =>
    renewKey(client, order.key, order.value, ttlMs),
  );
  if (!timers.has(order.id)) return;
  const renewed = successes.filter(({ value }) => value).length;
  if (renewed >= quorum) {
    new SharedInstant(order.provenAt).set(sentAt);
    renewLater(order, Math.max(0, renewMs - (monotonicMs() - sentAt)));
  } else if (successes.length - renewed > servers.length - quorum) {
    timers.delete(order.id);
    send({ type: 'lost', id: order.id });
  } else {
    send({ type: 'trouble', id: order.id, reason: describeFailures(failures) });
    renewLater(order, renewMs * RETRY_SHARE);
  }
}

function drop(id: number): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
}

/** The main thread logs failed renewals, and its own connections log outages. */
function silent(): Logger {
  const ignore = (): void => undefined;
  return { debug: ignore, info: ignore, warn: ignore, error: ignore, child: silent };
}

parentPort?.on('message', (message: ToRenewalThread) => {
  if (message.type === 'drop') return drop(message.id);
  const { order } = message;
  renewLater(order, Math.max(0, new SharedInstant(order.provenAt).get() + renewMs - monotonicMs()));
});
send({ type: 'ready' });
