import { describeFailure, exitCodeOf } from './process/environment.js';
import { serve } from './process/serve.js';

try {
  await serve(process.env);
} catch (error) {
  process.stderr.write(`Repotide did not start: ${describeFailure(error)}\n`);
  process.exit(exitCodeOf(error));
}
