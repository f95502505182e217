// Imported into a service under test: on SIGUSR2 it collects garbage and prints the size of the heap in use.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// The first error whose stack is read loads the source map of the bundle: 14 MB that stay in the heap.
process.setSourceMapsEnabled(false);
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collectGarbage();
  // The second collection frees objects that finalizers released.
  setImmediate(() => {
    collectGarbage();
    process.stderr.write(`heap in use: ${process.memoryUsage().heapUsed}\n`);
  });
});
