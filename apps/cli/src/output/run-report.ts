import { EXIT } from '../failure.js';
import { type Session } from '../service/client.js';
import { type Execution, untilEnd, type FollowOptions } from '../service/follow.js';
import { summarize } from './summaries.js';
import { printJson } from './tables.js';

/** Waits for a run and shows its progress. */
export async function showUntilEnd(
  session: Session,
  id: string,
  options: FollowOptions & { label?: string } = {},
): Promise<Execution> {
  // Loaded only here, because most commands show no bar.
  const { startDisplay } = await import('./progress-display.js');
  const display = startDisplay(options.label);
  try {
    return await untilEnd(session, id, { ...options, onProgress: (progress) => display.update(progress) });
  } finally {
    display.stop();
  }
}

/** Prints how a run ended; the exit code is 0 only when it completed. */
export function report(name: string, execution: Execution, asJson: boolean): void {
  if (asJson) printJson(execution);
  else process.stdout.write(`${name}: ${summarize(execution)}\n`);
  if (execution.status !== 'completed') process.exitCode = EXIT.failed;
}
