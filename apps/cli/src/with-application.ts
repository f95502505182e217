import { type INestApplicationContext } from '@nestjs/common';
import { openContext, setUpProcess } from '../../server/src/index.js';

/**
 * Opens the application for one command and closes it whatever happens. Log lines go to standard error and, unless
 * LOG_LEVEL says otherwise, only warnings are shown: standard output belongs to the command's result.
 */
export async function withApplication<T>(work: (context: INestApplicationContext) => Promise<T>): Promise<T> {
  const env = { LOG_LEVEL: 'warn', POD_NAME: `cli-${process.pid}`, ...process.env };
  const { config, logger } = setUpProcess(env, process.stderr);
  const context = await openContext(config, logger);
  try {
    return await work(context);
  } finally {
    await context.close();
  }
}

/** A signal that fires on Ctrl-C or SIGTERM, so that a command stops cleanly; the second one ends the process. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort());
  return controller.signal;
}
