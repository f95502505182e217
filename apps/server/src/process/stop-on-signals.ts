import { type Logger } from '@core/domain';

/** What there is to stop, once it runs. */
export interface Stoppable {
  /** Drains, hands over what does not end in time, closes everything. */
  close(): Promise<void>;
  /** Hands running work over at once. Safe to repeat. */
  handOver(): void;
}

/**
 * Ends the process in order on SIGTERM or SIGINT, with exit code 0; a signal that comes while it still starts is
 * obeyed as soon as it runs, since a process killed then would leave its database server behind. A second signal hands
 * over at once, or gives the start up.
 * @returns the function that tells what runs.
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
      limit(graceSeconds, logger);
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

function limit(graceSeconds: number, logger: Logger): void {
  setTimeout(() => {
    logger.error({ grace_seconds: graceSeconds }, 'did not stop within the grace period');
    process.exit(1);
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
