// Imported into a service under test: SIGUSR2 makes it collect its garbage and say how much of its heap is in use.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collectGarbage();
  // What was released by finalizers goes with the second.
  setImmediate(() => {
    collectGarbage();
    process.stderr.write(`heap in use: ${process.memoryUsage().heapUsed}\n`);
  });
});
