import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGitLabStandIn } from '@devkit';
import { MAIN } from '../test/support/command-line.js';
import { createInstallation } from '../test/support/installation.js';
import { startTestServer } from '../test/support/test-server.js';
import { atMost, type Benchmark, median } from './run/report.js';

const DIST = new URL('../dist', import.meta.url).pathname;
const IDLE_MS = 20_000;

export const start: Benchmark = {
  title: 'Start',
  explains:
    'A new process each time: `repotide --help`, `repotide --version`, and `repotide serve` on a database whose schema exists, until readiness answers 200. Memory is the resident size of the idle service. The yardstick is `node` with an empty program.',
  limits: 'Reading and compiling the JavaScript of the service, and 150 to 200 ms of Nest’s own set-up.',
  async run({ isQuick, progress }) {
    const rounds = isQuick ? 3 : 7;
    const stop = await startTestServer(process.env);
    try {
      const rows: [string, ...number[][]][] = [];
      for (const [name, args] of [
        ['node, an empty program', ['--eval', '0']],
        ['repotide --version', [MAIN, '--version']],
        ['repotide --help', [MAIN, '--help']],
      ] as const) {
        progress(name);
        const samples = await repeat(rounds, () => runOnce(args));
        rows.push([name, samples.map(({ ms }) => ms), samples.map(({ mib }) => mib)]);
      }
      progress('repotide serve');
      const served = await serveOnce(rounds);
      rows.push(['repotide serve, until it is ready', served.ms, served.mib]);
      const help = rows.find(([name]) => name === 'repotide --help')!;
      return {
        input: `${rounds} rounds; the built program has ${(await megabytesOf(DIST)).toFixed(1)} MB`,
        tables: [
          {
            title: 'Minimum, median and maximum',
            columns: [
              { title: 'what' },
              { title: 'ms' },
              { title: 'memory, MiB' },
              { title: 'times node', digits: 1 },
            ],
            rows: rows.map(([name, ms, mib]) => [name, ms!, mib!, median(ms!) / median(rows[0]![1]!)]),
            plot: { labels: [0], value: 1 },
          },
        ],
        goals: [atMost('`--help`', 150, median(help[1]!), ' ms')],
      };
    } finally {
      await stop();
    }
  },
};

interface Sample {
  ms: number;
  mib: number;
}

async function repeat(rounds: number, once: () => Promise<Sample>): Promise<Sample[]> {
  const samples: Sample[] = [];
  // The first one fills the caches of the file system.
  for (let round = 0; round <= rounds; round++) samples.push(await once());
  return samples.slice(1);
}

async function runOnce(args: readonly string[]): Promise<Sample> {
  const began = performance.now();
  const measure = 'process.on("exit", () => process.stderr.write("\\n" + process.resourceUsage().maxRSS))';
  const preload = `data:text/javascript,${encodeURIComponent(measure)}`;
  const child = spawn(process.execPath, ['--import', preload, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => (errors += part));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${errors}`);
  return { ms: performance.now() - began, mib: Number(errors.split('\n').at(-1)) / 1024 };
}

async function serveOnce(rounds: number): Promise<{ ms: number[]; mib: number[] }> {
  const gitlab = await startGitLabStandIn();
  const installation = await createInstallation({ GITLAB_URL: gitlab.url, GITLAB_TOKEN: gitlab.token });
  const found = { ms: [] as number[], mib: [] as number[] };
  try {
    for (let round = 0; round <= rounds; round++) {
      const began = performance.now();
      const service = await installation.serve();
      while (!(await fetch(`${service.url}/health/ready`)).ok) await sleep(5);
      const ms = performance.now() - began;
      const isLast = round === rounds;
      if (isLast) {
        await sleep(IDLE_MS);
        found.mib.push(await residentMiB(service.command.process.pid!));
      }
      // The first one migrates the schema.
      if (round > 0) found.ms.push(ms);
      await service.stop();
    }
    return found;
  } finally {
    await installation.remove();
    await gitlab.stop();
  }
}

async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}

async function megabytesOf(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(folder, file))).size));
  return sizes.reduce((sum, size) => sum + size, 0) / 1e6;
}
