import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { isLongForm } from '../support/long-form.js';
import { VECTOR_STORES } from '../support/vector-stores.js';
import { openJournal } from './journal.js';
import { crash, follow, type Course, type Crash } from './matrix.js';
import { type Pod } from './pod.js';
import { PROTECTIONS } from './protections.js';
import { chance, isSync, pointsOf, prepare, SCENARIOS, type Scenario } from './scenarios.js';
import { misplacedPorts, stepsByPort } from './steps.js';
import { startCrashWorld, type CrashWorld } from './world.js';

const SEED = isLongForm ? jest.getSeed() : 1;
/** Points of the sample, per store. */
const SAMPLE = Number(process.env['CRASH_POINTS'] ?? 4);
const IN_SAMPLE = ['sync', 'purge'];
/** How often someone pushes while the pod is dead. */
const PUSHES = 0.3;
const GUARANTEES = new URL('../../docs/guarantees.md', import.meta.url);
const [BEGIN, END] = ['<!-- crash points -->', '<!-- end of crash points -->'];

const steps = Object.entries(stepsByPort()).flatMap(([port, methods]) =>
  methods.map((method) => `${port}.${method}`),
);

it('every port of the domain, and every method of it, is classified', () => {
  expect(misplacedPorts()).toEqual([]);
});

/** In the place of `it`, for what only the long form runs. */
const NOT_DEFINED = (_title: string, _work: () => Promise<void>): void => undefined;

describe.each(VECTOR_STORES)(`a pod killed at a step, with the %s store (seed ${SEED})`, (kind) => {
  // One store is enough to see that every step is reached.
  const isWhole = isLongForm || kind === 'embedded';
  const scenarios = isWhole ? SCENARIOS : SCENARIOS.filter(({ name }) => IN_SAMPLE.includes(name));
  let world: CrashWorld;
  let courses: Course[];
  let other: Pod;

  beforeAll(async () => {
    world = await startCrashWorld(kind, SEED);
    const templates = await prepare(world);
    other = world.pod();
    courses = [];
    for (const scenario of scenarios)
      courses.push(await follow(scenario, templates[scenario.from], world, other));
  });
  afterAll(async () => {
    await other?.end();
    await world?.stop();
  });

  const itIf = (isRun: boolean) => (isRun ? it : NOT_DEFINED);

  itIf(isWhole)(
    'every step of the code is reached by a scenario, and the published table lists it',
    async () => {
      const scenariosOf = (step: string) =>
        courses.filter((course) =>
          pointsOf(course.scenario, course.steps, SEED).some((at) => at.step === step),
        );
      const unreached = steps.filter((step) => scenariosOf(step).length === 0);
      expect(unreached).toEqual([]);
      const rows = steps.map((step) => [
        `\`${step}\``,
        labelOf(scenariosOf(step).map(({ scenario }) => scenario)),
      ]);
      const abouts = SCENARIOS.map(({ name, about }) => [name, about]);
      const tables = [['scenario', 'what happens'], ...abouts, ['step', 'scenarios'], ...rows];
      if (process.env['WRITE_CRASH_TABLE']) await publish(tables);
      expect(await publishedTables()).toEqual(tables);
    },
  );

  it('the next pod makes the index right, in the same execution, and repeats only what was in flight', async () => {
    const crashes = courses.flatMap(crashesOf);
    const isAll = isLongForm && process.env['CRASH_POINTS'] === undefined;
    const journal = openJournal(`${kind}, seed ${SEED}`, process.env['CRASH_JOURNAL']);
    const failures: string[] = [];
    for (const each of isAll ? broadFirst(crashes) : sampleOf(crashes)) {
      if (journal.hasPassed(nameOf(each))) continue;
      const failure = await crash(each, world, other).then(() => null, String);
      journal.note(nameOf(each), failure);
      if (failure !== null) failures.push(`${nameOf(each)}: ${failure}`);
    }
    expect(failures).toEqual([]);
    expect(world.double?.violations ?? []).toEqual([]);
  }, 86_400_000);

  itIf(isLongForm)('fails without any of the protections', async () => {
    const useless: string[] = [];
    for (const { scenario, point, shows, ...without } of PROTECTIONS) {
      const course = courses.find(({ scenario: { name } }) => name === scenario)!;
      const each = { ...point, course, resume: 'same', moves: false } as const;
      await crash(each, world, other);
      const strengthen = await world.weaken(without);
      const found = await crash(each, world, other).then(() => 'no failure', String);
      if (!found.includes(shows)) useless.push(`${without.line}: ${found}`);
      strengthen();
    }
    expect(useless).toEqual([]);
  });
});

function crashesOf(course: Course): Crash[] {
  const { scenario, steps: passed } = course;
  const mayMove = isSync(scenario);
  return pointsOf(scenario, passed, SEED).flatMap((point) =>
    (['same', 'other'] as const).map((resume) => {
      const words = [scenario.name, point.step, point.side, point.nth, resume];
      return { ...point, course, resume, moves: mayMove && chance(SEED, ...words) < PUSHES };
    }),
  );
}

/** First each side of each step of each scenario once, so that a run that is broken off has tried them all. */
function broadFirst(crashes: readonly Crash[]): Crash[] {
  const seen = new Set<string>();
  const order = (each: Crash) => chance(SEED, 'order', nameOf(each));
  const isFirst = ({ course, step, side }: Crash): boolean => {
    const known = seen.size;
    return seen.add(`${course.scenario.name} ${step} ${side}`).size > known;
  };
  const [firsts, rest]: [Crash[], Crash[]] = [[], []];
  for (const each of crashes.toSorted((one, two) => order(one) - order(two)))
    (isFirst(each) ? firsts : rest).push(each);
  return [...firsts, ...rest];
}

function sampleOf(crashes: readonly Crash[]): Crash[] {
  const order = (each: Crash) => chance(SEED, 'sample', nameOf(each));
  return crashes.toSorted((one, two) => order(one) - order(two)).slice(0, SAMPLE);
}

function nameOf({ course, step, side, nth, resume, moves }: Crash): string {
  return `${course.scenario.name}, ${side} ${step} ${nth}, ${resume} pod${moves ? ', push' : ''}`;
}

function labelOf(scenarios: readonly Scenario[]): string {
  const names = scenarios.map(({ name }) => name);
  const syncs = SCENARIOS.filter(isSync).map(({ name }) => name);
  if (!syncs.every((name) => names.includes(name))) return names.join(', ');
  return ['every sync', ...names.filter((name) => !syncs.includes(name))].join(', ');
}

/** The rows of the two tables: scenarios, and steps with their scenarios. */
async function publishedTables(): Promise<string[][]> {
  const text = await readFile(GUARANTEES, 'utf8');
  const lines = text.slice(text.indexOf(BEGIN), text.indexOf(END)).split('\n');
  const rows = lines.filter((line) => line.startsWith('|')).map((line) => line.split('|').slice(1, -1));
  return rows.map((row) => row.map((cell) => cell.trim())).filter(([first]) => !/^-+$/.test(first!));
}

/** With WRITE_CRASH_TABLE=1. `npm run format` aligns the tables. */
async function publish(tables: readonly string[][]): Promise<void> {
  const text = await readFile(GUARANTEES, 'utf8');
  const written = tables.map((row) => {
    const isHead = row[0] === 'scenario' || row[0] === 'step';
    return `${isHead ? '\n' : ''}| ${row.join(' | ')} |${isHead ? '\n| --- | --- |' : ''}`;
  });
  const [head, tail] = [text.slice(0, text.indexOf(BEGIN)), text.slice(text.indexOf(END))];
  await writeFile(GUARANTEES, `${head}${BEGIN}\n${written.join('\n')}\n\n${tail}`);
}
