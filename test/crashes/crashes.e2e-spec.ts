import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { isLongForm } from '../support/long-form.js';
import { VECTOR_STORES, type VectorStoreKind } from '../support/vector-stores.js';
import { everyCrash, nameOf, oneOfEachStep, sampleOf } from './choose-crashes.js';
import { openJournal } from './journal.js';
import { crash, follow, type Course, type Crash } from './matrix.js';
import { PROTECTIONS } from './protections.js';
import { isSync, prepare, SCENARIOS, stepsOf, type Scenario } from './scenarios.js';
import { misplacedPorts, stepsByPort } from './steps.js';
import { startCrashWorld, type CrashWorld } from './world.js';

const SEED = isLongForm ? jest.getSeed() : 1;
/** Of each store: a number, `all`, or one for each step of each scenario. */
const POINTS = process.env['CRASH_POINTS'] ?? (isLongForm ? undefined : '4');
const IN_SAMPLE = ['sync', 'purge'];
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

  beforeAll(async () => {
    world = await startCrashWorld(kind, SEED);
    const templates = await prepare(world);
    courses = [];
    for (const scenario of scenarios) courses.push(await follow(scenario, templates[scenario.from], world));
  });
  afterAll(async () => {
    await world?.stop();
  });

  const itIf = (isRun: boolean) => (isRun ? it : NOT_DEFINED);

  itIf(isWhole)(
    'every step of the code is reached by a scenario, and the published table lists it',
    async () => {
      const scenariosOf = (step: string) =>
        courses.filter(({ scenario, steps: passed }) => stepsOf(scenario, passed).includes(step));
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
    const journal = openJournal(`${kind}, seed ${SEED}`, process.env['CRASH_JOURNAL']);
    const failures: string[] = [];
    for (const each of chosen(courses, kind)) {
      if (journal.hasPassed(nameOf(each))) continue;
      const failure = await crash(each, world).then(() => null, String);
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
      await crash(each, world);
      const strengthen = await world.weaken(without);
      const found = await crash(each, world).then(() => 'no failure', String);
      if (!found.includes(shows)) useless.push(`${without.line}: ${found}`);
      strengthen();
    }
    expect(useless).toEqual([]);
  });
});

function chosen(courses: readonly Course[], kind: VectorStoreKind): Crash[] {
  if (POINTS === 'all') return everyCrash(courses, SEED);
  if (POINTS === undefined) return oneOfEachStep(courses, SEED, kind);
  return sampleOf(courses, SEED, Number(POINTS));
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
