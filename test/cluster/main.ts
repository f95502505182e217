/** `npm run test:cluster -- --help` lists the options; see docs/cluster-test.md. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseImage } from './image.js';
import { KubernetesApi } from './kubernetes-api.js';
import { HELP, readOptions, type Options } from './options.js';
import { perform } from './perform.js';
import { render } from './report.js';
import { STEPS } from './steps/index.js';

function refuse(error: unknown): never {
  const problem = (error as Error).message.replace(/\.?$/, '.');
  process.stderr.write(`${problem} Run npm run test:cluster -- --help for the options.\n`);
  process.exit(2);
}

function orRefuse<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    return refuse(error);
  }
}

const say = (line: string): void => void process.stderr.write(`${new Date().toISOString()} ${line}\n`);

async function run(options: Options): Promise<number> {
  orRefuse(() => parseImage(options.image));
  const api = orRefuse(() => KubernetesApi.open());
  const folder = await mkdtemp(join(tmpdir(), 'repotide-cluster-test-'));
  try {
    const report = await perform(options, { api, folder, say });
    process.stdout.write(options.json ? `${JSON.stringify(report, null, 2)}\n` : render(report));
    return report.isPassed ? 0 : 1;
  } catch (error) {
    say((error as Error).message);
    return 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const chosen = orRefuse(() => readOptions(process.argv.slice(2)));
if (chosen === 'help') process.stdout.write(HELP);
else if (chosen === 'list')
  for (const { name, promise } of STEPS) process.stdout.write(`${name}: ${promise}\n`);
else process.exitCode = await run(chosen);
