import { type Logger } from '@core/domain';

export interface Stoppable {
  /** Drains the runs, hands over those that do not end in time, and closes everything. */
  close(): Promise<void>;
  /** Hands the runs over at once. Safe to repeat. */
  handOver(): void;
  /** Names the stores that do not answer now. Never throws. */
  findSilent(): Promise<string[]>;
}

/** How often the stores are probed within the grace period. */
const PROBES = 6;

/**
 * Stops the process gracefully on SIGTERM or SIGINT, with exit code 0, also when nothing can be handed over because the
 * stores did not answer for a part of the grace period. A signal during the start takes effect when the
 * start is complete, because a killed process would leave its embedded database server running. A second signal hands
 * the runs over at once, or exits during the start.
 * @returns a function to call with the started service.
 */
export function stopOnSignals(graceSeconds: number, logger: Logger): (started: Stoppable) => void {
  let running: Stoppable | null = null;
  let signals = 0;
  const onSignal = (signal: NodeJS.Signals): void => {
    signals++;
    logger.info({ signal, again: signals > 1 }, 'stopping');
    if (signals > 1 && !running) process.exit(1);
    if (signals > 1) running?.handOver();
    else {
      limit(graceSeconds, async () => (await running?.findSilent()) ?? [], logger);
      if (running) void stop(running, logger);
    }
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return (started) => {
    running = started;
    if (signals > 0) void stop(started, logger);
  };
}

function limit(graceSeconds: number, findSilent: Stoppable['findSilent'], logger: Logger): void {
  const silent = new Set<string>();
  const probe = async (): Promise<void> => (await findSilent()).forEach((name) => silent.add(name));
  setInterval(() => void probe(), (graceSeconds * 1000) / PROBES).unref();
  setTimeout(() => {
    if (silent.size === 0) {
      logger.error({ grace_seconds: graceSeconds }, 'did not stop within the grace period');
      process.exit(1);
    }
    const message =
      'stopped without a hand-over: stores did not answer, so runs continue when their leases expire';
    logger.warn({ grace_seconds: graceSeconds, stores: [...silent] }, message);
    process.exit(0);
  }, graceSeconds * 1000).unref();
}

async function stop(running: Stoppable, logger: Logger): Promise<void> {
  try {
    await running.close();
    process.exit(0);
  } catch (error) {
    logger.error({ err: error }, 'stopping failed');
    process.exit(1);
  }
}
