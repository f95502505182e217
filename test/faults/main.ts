/** `npm run test:faults -- --help` lists the options; see docs/guarantees.md. */
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

const HELP = `Runs real pods, stores and faults, and checks what Repotide promises. See docs/guarantees.md.

npm run test:faults -- [options]
  --list              list the scenarios with their modes
  --scenario NAME     storm (default), another scenario, or all
  --mode MODE         distributed (default), advisory or standalone
  --seed N            repeats the random choices of a former run
  --minutes N         how long faults are injected
  --pods N            how many pods
  --branches N        how many repositories
  --timings NAME      ${Object.keys(TIMINGS).join(' or ')}
  --other FILE        the bundle (main.js) of another version that runs beside this one
  --pgbouncer         pods reach Postgres through PgBouncer in transaction mode (mode distributed)
  --keep FOLDER       keeps logs, rows and report there, also when all is well
  --json              prints the report as JSON
  --help              prints this text
Exit code 0: every promise held and was observed. 1: one did not, or was not. 2: an option is wrong.
`;

const values = options();

function options() {
  try {
    const { values: given } = parseArgs({
      options: {
        scenario: { type: 'string', default: 'storm' },
        mode: { type: 'string', default: 'distributed' },
        seed: { type: 'string', default: String(Date.now() % 1_000_000) },
        minutes: { type: 'string' },
        pods: { type: 'string' },
        branches: { type: 'string' },
        timings: { type: 'string' },
        other: { type: 'string' },
        pgbouncer: { type: 'boolean', default: false },
        keep: { type: 'string' },
        json: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    return given;
  } catch (error) {
    return refuse((error as Error).message);
  }
}

function refuse(problem: string): never {
  process.stderr.write(
    `${problem.replace(/\.?$/, '.')} Run npm run test:faults -- --help for the options.\n`,
  );
  process.exit(2);
}

function say(line: string): void {
  process.stderr.write(`${new Date().toISOString()} ${line}\n`);
}

function chosen(): Scenario[] {
  const fitting = SCENARIOS.filter(({ modes }) => modes.includes(values.mode as Mode));
  const named = values.scenario === 'all' ? fitting : fitting.filter(({ name }) => name === values.scenario);
  if (named.length > 0) return named;
  const names = fitting.map(({ name }) => name).join(', ');
  return refuse(`No scenario "${values.scenario}" in mode "${values.mode}". There are: ${names || 'none'}.`);
}

const chosenOptions = {
  mode: values.mode as Mode,
  seed: numberOf('seed', values.seed) ?? 0,
  say,
  minutes: numberOf('minutes', values.minutes),
  pods: numberOf('pods', values.pods),
  branches: numberOf('branches', values.branches),
  timings: timingsOf(values.timings),
  isPooled: values.pgbouncer,
  otherBundle: values.other === undefined ? undefined : resolve(values.other),
};

async function run(scenario: Scenario): Promise<FaultReport> {
  const parent = values.keep ?? tmpdir();
  await mkdir(parent, { recursive: true });
  const directory = await mkdtemp(join(parent, `repotide-faults-${scenario.name}-${values.seed}-`));
  say(`${scenario.name}, seed ${values.seed}: everything is written to ${directory}`);
  const report = await perform(scenario, { ...chosenOptions, directory });
  if (report.isHeld && values.keep === undefined) await rm(directory, { recursive: true, force: true });
  else say(`logs, rows and report: ${directory}`);
  return report;
}

function numberOf(name: string, value: string | undefined): number | undefined {
  if (value === undefined || Number(value) >= 0) return value === undefined ? undefined : Number(value);
  return refuse(`--${name} ${value}: expected a number.`);
}

function timingsOf(name: string | undefined): keyof typeof TIMINGS | undefined {
  if (name === undefined || name in TIMINGS) return name as keyof typeof TIMINGS | undefined;
  return refuse(`--timings ${name}: expected one of ${Object.keys(TIMINGS).join(', ')}.`);
}

// An interrupt stops all child processes and keeps the files written so far.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

if (values.help) {
  process.stdout.write(HELP);
} else if (values.list) {
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
  // An exit by itself can hang: Node.js 20 then may wait without end for the handles of ended child processes.
  process.stdout.write('', () => process.exit(reports.every(({ isHeld }) => isHeld) ? 0 : 1));
}
