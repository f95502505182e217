/**
 * Measures Repotide beside limits and rivals, with real parts that each benchmark starts and stops itself.
 * `npm run bench` runs all, `npm run bench -- first-sync start` some, `-- --help` lists them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { BENCHMARKS } from './benchmarks.js';
import { sectionOf } from './run/markdown.js';
import { type StoredReport } from './run/report.js';

const THIS_FILE = fileURLToPath(import.meta.url);
const REGISTER = fileURLToPath(new URL('../test/support/register-typescript.mjs', import.meta.url));

interface Options {
  quick?: true;
  json?: string;
}

await new Command('npm run bench --')
  .description('Measures Repotide beside limits and rivals, and prints tables.')
  .argument('[names...]', `some of: ${Object.keys(BENCHMARKS).join(', ')}; default: all`)
  .option('--quick', 'smaller input and fewer rounds')
  .option(
    '--json <folder>',
    'write NAME.json into this folder; bench/results is what docs/performance.md shows',
  )
  .action(async (names: string[], options: Options) => {
    const unknown = names.filter((name) => !(name in BENCHMARKS));
    if (unknown.length > 0)
      throw new Error(
        `Unknown: ${unknown.join(', ')}. Expected some of ${Object.keys(BENCHMARKS).join(', ')}.`,
      );
    const [only, ...others] = names.length === 0 ? Object.keys(BENCHMARKS) : names;
    if (others.length === 0) await runOne(only!, options);
    else for (const name of [only!, ...others]) await runApart(name, options);
  })
  .parseAsync();

/** Starts another process, so that no benchmark inherits another's memory and compiled code. */
async function runApart(name: string, { quick, json }: Options): Promise<void> {
  const options = [...(quick ? ['--quick'] : []), ...(json ? ['--json', json] : [])];
  const args = ['--no-warnings', '--import', REGISTER, THIS_FILE, name, ...options];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) process.exitCode = 1;
}

async function runOne(
  name: string,
  { quick = false, json }: { quick?: boolean; json?: string },
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'repotide-bench-'));
  try {
    const { run, ...about } = await BENCHMARKS[name]!();
    const began = performance.now();
    const machine = machineOf();
    const report = await run({
      isQuick: quick,
      directory,
      progress: (what) => showProgress(`${name}: ${what}`),
    });
    showProgress('');
    const stored: StoredReport = {
      ...{ name, ...about, ...report, machine, isQuick: quick },
      date: new Date().toISOString().slice(0, 10),
      seconds: Math.round((performance.now() - began) / 1000),
    };
    process.stdout.write(`${sectionOf(stored)}\n\n`);
    if (json === undefined) return;
    await mkdir(json, { recursive: true });
    await writeFile(join(json, `${name}.json`), `${JSON.stringify(stored, null, 2)}\n`);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The load shows what else the machine did before. */
function machineOf(): string {
  const processor = `${availableParallelism()} cores of ${cpus()[0]?.model.trim() ?? 'an unknown processor'}`;
  return `${processor}, load ${loadavg()[0]!.toFixed(1)}, Node.js ${process.version}`;
}

function showProgress(what: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${what}`);
  else if (what !== '') process.stderr.write(`${what}\n`);
}
