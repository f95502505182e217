const NUMBERS = { SIGTERM: 15, SIGINT: 2 } as const;

/**
 * Gives process 1 of a container the default action that the kernel withholds from it: a signal that nobody handles ends
 * the process. Without it a pod that is still starting, or a migration, would ignore SIGTERM until it is killed.
 */
export function endOnUnhandledSignals(): void {
  if (process.pid !== 1) return;
  for (const [signal, number] of Object.entries(NUMBERS)) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + number);
    });
  }
}
