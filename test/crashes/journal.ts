import { appendFileSync, existsSync, readFileSync } from 'node:fs';

export interface Journal {
  hasPassed(point: string): boolean;
  note(point: string, failure: string | null): void;
}

/**
 * The points that a long run has tried, one line each. A run with the file of a former one leaves out what passed.
 * @param file default: nothing is kept.
 */
export function openJournal(matrix: string, file?: string): Journal {
  if (file === undefined) return { hasPassed: () => false, note: () => undefined };
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const passed = new Set(
    lines.filter((line) => line.startsWith('passed')).map((line) => line.split('\t')[2]),
  );
  const named = (point: string): string => `${matrix}, ${point}`;
  return {
    hasPassed: (point) => passed.has(named(point)),
    note(point, failure) {
      const words = failure === null ? ['passed'] : ['FAILED', JSON.stringify(failure)];
      const [outcome, ...reason] = words;
      appendFileSync(file, `${[outcome, new Date().toISOString(), named(point), ...reason].join('\t')}\n`);
    },
  };
}
