import { type VectorStoreKind } from '../support/vector-stores.js';
import { type Course, type Crash, type Resume } from './matrix.js';
import { type CrashPoint } from './pod.js';
import { chance, isSync, stepsOf } from './scenarios.js';

/** How often someone pushes while the pod is dead. */
const PUSHES = 0.3;
const SIDES = ['before', 'after'] as const;
const RESUMES = ['same', 'other'] as const;

/**
 * One crash for each step of each scenario. The seed chooses the call (the first, the last or one between), the pod that goes
 * on, and whether someone pushes meanwhile. The two stores are killed on opposite sides of a step, and seeds that follow each
 * other change the sides.
 */
export function oneOfEachStep(courses: readonly Course[], seed: number, kind: VectorStoreKind): Crash[] {
  return courses.flatMap((course) =>
    [...callsOf(course)].map(([step, calls]) => {
      const words = [course.scenario.name, step];
      const middle = 1 + Math.floor(chance(seed, kind, 'middle', ...words) * calls);
      const nth = [1, calls, middle][Math.floor(chance(seed, kind, 'call', ...words) * 3)]!;
      const turn = Math.floor(chance(0, ...words) * 2) + seed + (kind === 'qdrant' ? 1 : 0);
      const side = SIDES[turn % 2]!;
      const resume = RESUMES[Math.floor(chance(seed, kind, 'resume', ...words) * 2)]!;
      return crashAt({ step, side, nth }, course, resume, seed);
    }),
  );
}

/** Each side of every call that writes points or rows, and of one call of each other step, with both pods that may go on. */
export function everyCrash(courses: readonly Course[], seed: number): Crash[] {
  const all = courses.flatMap((course) =>
    [...callsOf(course)].flatMap(([step, calls]) => {
      const chosen = 1 + Math.floor(chance(seed, step) * calls);
      const each = Array.from({ length: calls }, (_, index) => index + 1);
      const isWrite = /\.(upsert|commitBatch|deleteFiles)$/.test(step);
      return (isWrite ? each : [chosen]).flatMap((nth) =>
        SIDES.flatMap((side) => RESUMES.map((resume) => crashAt({ step, side, nth }, course, resume, seed))),
      );
    }),
  );
  return broadFirst(all, seed);
}

/** Some of all crashes. */
export function sampleOf(courses: readonly Course[], seed: number, size: number): Crash[] {
  const order = (each: Crash) => chance(seed, 'sample', nameOf(each));
  return everyCrash(courses, seed)
    .toSorted((one, two) => order(one) - order(two))
    .slice(0, size);
}

export function nameOf({ course, step, side, nth, resume, moves }: Crash): string {
  return `${course.scenario.name}, ${side} ${step} ${nth}, ${resume} pod${moves ? ', push' : ''}`;
}

function callsOf({ scenario, steps }: Course): Map<string, number> {
  const calls = new Map<string, number>();
  for (const step of stepsOf(scenario, steps)) calls.set(step, (calls.get(step) ?? 0) + 1);
  return calls;
}

function crashAt(point: CrashPoint, course: Course, resume: Resume, seed: number): Crash {
  const words = [course.scenario.name, point.step, point.side, point.nth, resume];
  return { ...point, course, resume, moves: isSync(course.scenario) && chance(seed, ...words) < PUSHES };
}

/** First each side of each step of each scenario once, so that a run that is broken off has tried them all. */
function broadFirst(crashes: readonly Crash[], seed: number): Crash[] {
  const seen = new Set<string>();
  const order = (each: Crash) => chance(seed, 'order', nameOf(each));
  const isFirst = ({ course, step, side }: Crash): boolean => {
    const known = seen.size;
    return seen.add(`${course.scenario.name} ${step} ${side}`).size > known;
  };
  const [firsts, rest]: [Crash[], Crash[]] = [[], []];
  for (const each of crashes.toSorted((one, two) => order(one) - order(two)))
    (isFirst(each) ? firsts : rest).push(each);
  return [...firsts, ...rest];
}
