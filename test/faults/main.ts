/** `npm run test:faults -- --seed S --minutes M [--mode ...]`: see docs/guarantees.md. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureRedisServer } from '../support/redis-install.js';
import { render } from './report.js';
import { runStorm } from './run-storm.js';
import { type Mode } from './system/cluster.js';
import { TIMINGS } from './system/timings.js';

const MODES: readonly Mode[] = ['distributed', 'advisory', 'standalone'];

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    minutes: { type: 'string', default: '5' },
    mode: { type: 'string', default: 'distributed' },
    pods: { type: 'string', default: '5' },
    branches: { type: 'string', default: '30' },
    timings: { type: 'string', default: 'shrunk' },
    keep: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

async function main(): Promise<boolean> {
  const mode = MODES.find((known) => known === values.mode);
  if (mode === undefined) throw new Error(`--mode ${values.mode}: expected one of ${MODES.join(', ')}.`);
  const timings = TIMINGS[values.timings as keyof typeof TIMINGS];
  if (mode === 'distributed') await ensureRedisServer();
  const parent = values.keep ?? tmpdir();
  await mkdir(parent, { recursive: true });
  const directory = await mkdtemp(join(parent, `repotide-faults-${values.seed}-`));
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  say(`seed ${values.seed}, everything is written to ${directory}`);
  const report = await runStorm({
    mode,
    timings,
    directory,
    seed: Number(values.seed),
    minutes: Number(values.minutes),
    pods: Number(values.pods),
    branches: Number(values.branches),
    onHarm: ({ fault, target, from }) => say(`${new Date(from).toISOString()} ${fault} (${target})`),
  });
  process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : render(report));
  if (report.isHeld && values.keep === undefined) await rm(directory, { recursive: true, force: true });
  else say(`logs, rows and report: ${directory}`);
  return report.isHeld;
}

process.exitCode = (await main()) ? 0 : 1;
