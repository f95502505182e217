/** `npm run test:faults -- --seed S --minutes M [--mode M] [--scenario NAME]`: see docs/guarantees.md. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureRedisServer } from '../support/redis-install.js';
import { perform } from './perform.js';
import { type FaultReport, render } from './report.js';
import { SCENARIOS } from './scenarios/index.js';
import { type Scenario } from './scenarios/scenario.js';
import { type Mode } from './system/cluster.js';
import { installFakeTime } from './system/fake-time.js';
import { TIMINGS } from './system/timings.js';

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', default: 'storm' },
    mode: { type: 'string', default: 'distributed' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    minutes: { type: 'string' },
    pods: { type: 'string' },
    branches: { type: 'string' },
    timings: { type: 'string' },
    other: { type: 'string' },
    keep: { type: 'string' },
    json: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});

function say(line: string): void {
  process.stderr.write(`${new Date().toISOString()} ${line}\n`);
}

function chosen(): Scenario[] {
  const fitting = SCENARIOS.filter(({ modes }) => modes.includes(values.mode as Mode));
  const named = values.scenario === 'all' ? fitting : fitting.filter(({ name }) => name === values.scenario);
  if (named.length > 0) return named;
  const names = fitting.map(({ name }) => name).join(', ');
  throw new Error(
    `No scenario "${values.scenario}" in mode "${values.mode}". There are: ${names || 'none'}.`,
  );
}

async function run(scenario: Scenario): Promise<FaultReport> {
  const parent = values.keep ?? tmpdir();
  await mkdir(parent, { recursive: true });
  const directory = await mkdtemp(join(parent, `repotide-faults-${scenario.name}-${values.seed}-`));
  say(`${scenario.name}, seed ${values.seed}: everything is written to ${directory}`);
  const report = await perform(scenario, {
    mode: values.mode as Mode,
    seed: Number(values.seed),
    directory,
    say,
    minutes: numberOf(values.minutes),
    pods: numberOf(values.pods),
    branches: numberOf(values.branches),
    timings: timingsOf(values.timings),
    otherBundle: values.other === undefined ? undefined : resolve(values.other),
  });
  if (report.isHeld && values.keep === undefined) await rm(directory, { recursive: true, force: true });
  else say(`logs, rows and report: ${directory}`);
  return report;
}

function numberOf(value: string | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}

function timingsOf(name: string | undefined): keyof typeof TIMINGS | undefined {
  if (name === undefined || name in TIMINGS) return name as keyof typeof TIMINGS | undefined;
  throw new Error(`--timings ${name}: expected one of ${Object.keys(TIMINGS).join(', ')}.`);
}

// An interrupt stops all child processes and keeps the files written so far.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

if (values.list) {
  for (const { name, modes, promise } of SCENARIOS)
    process.stdout.write(`${name} (${modes.join(', ')}): ${promise}\n`);
} else {
  await Promise.all([ensureRedisServer(), installFakeTime()]);
  const reports: FaultReport[] = [];
  for (const scenario of chosen()) {
    const report = await run(scenario);
    reports.push(report);
    process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : render(report));
  }
  process.exitCode = reports.every(({ isHeld }) => isHeld) ? 0 : 1;
}
