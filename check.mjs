// Runs the checks of `npm run check` side by side, as many as there are cores, and shows the output of each when it ends.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** The longest first: with two cores, the others run beside the linter. */
const waiting = ['lint', 'types', 'imports', 'unused', 'format', 'licences'];

/** Returns whether the check passed. */
function run(name) {
  const child = spawn('npm', ['run', '--silent', `check:${name}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
  const parts = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => parts.push(part));
  return new Promise((resolve) => {
    child.once('close', (code) => {
      process.stdout.write(`check:${name} ${code === 0 ? 'passed' : 'failed'}\n`);
      process.stdout.write(Buffer.concat(parts));
      resolve(code === 0);
    });
  });
}

async function runSome() {
  let havePassed = true;
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
    havePassed = (await run(name)) && havePassed;
  return havePassed;
}

const results = await Promise.all(Array.from({ length: availableParallelism() }, runSome));
if (results.includes(false)) process.exitCode = 1;
