// The Dockerfile loads this file first, because the program is process 1 of its container. The kernel does not apply the
// default action of signals to process 1: without a handler, a SIGTERM that arrives while the program loads is lost.
const NUMBERS = { SIGTERM: 15, SIGINT: 2 } as const;

for (const [signal, number] of Object.entries(NUMBERS)) {
  process.on(signal, () => {
    // Once the program has its own handler, that one decides.
    if (process.listenerCount(signal) === 1) process.exit(128 + number);
  });
}
