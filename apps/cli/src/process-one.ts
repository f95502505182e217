// Loaded before everything else where the process is process 1 of a container (see Dockerfile). The kernel withholds the
// default action of signals from it: without this, SIGTERM would be lost as long as the program is still loading.
const NUMBERS = { SIGTERM: 15, SIGINT: 2 } as const;

for (const [signal, number] of Object.entries(NUMBERS)) {
  process.on(signal, () => {
    // Whoever handles signals by now decides.
    if (process.listenerCount(signal) === 1) process.exit(128 + number);
  });
}
