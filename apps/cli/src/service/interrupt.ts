/** Fires on Ctrl-C or SIGTERM, so that a command stops cleanly. A second Ctrl-C or SIGTERM ends the process. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort());
  return controller.signal;
}
