// The long form of test/e2e/api-fuzz (`npm run test:fuzz`).
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';

const HELP = `Sends hostile requests to every operation of a running service, to its event streams, its webhook and its agents' endpoint.
Fails on a 5xx, an answer without a documented status, a foreign marker in an answer to a scoped token, and growing memory.

npm run test:fuzz -- [options]
  --minutes <n>   how long; default 30
  --seed <n>      repeats a run; default: the time. The report of a failure has the request, and fast-check's path to it
  --help`;

const { values } = parseArgs({
  options: { minutes: { type: 'string' }, seed: { type: 'string' }, help: { type: 'boolean' } },
});
const minutes = Number(values.minutes ?? 30);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
if (values.help || !(minutes > 0) || !Number.isInteger(seed)) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}
console.log(`${minutes} minutes with the seed ${seed}`);
const env = {
  ...process.env,
  ...{ FUZZ_MINUTES: String(minutes), FUZZ_SEED: String(seed) },
  NODE_OPTIONS: '--experimental-vm-modules --no-warnings',
};
const jest = spawn('npx', ['jest', 'test/e2e/api-fuzz'], { env, stdio: 'inherit' });
jest.once('exit', (code) => process.exit(code ?? 1));
