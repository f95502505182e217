/** Repeated measurements of one figure, in the unit of its column. */
export type Samples = readonly number[];
export type Cell = string | number | Samples | null;

export interface Column {
  title: string;
  /** Digits after the point; default: 0. */
  digits?: number;
}

export interface Table {
  title: string;
  columns: Column[];
  rows: Cell[][];
  /** A bar chart: the columns of the labels, and the column whose medians are shown. */
  plot?: { labels: number[]; value: number };
}

export interface Goal {
  goal: string;
  found: string;
  isMet: boolean;
}

export interface Report {
  /** What was read, e.g. "6,000 real source files of 49 MB". */
  input: string;
  tables: Table[];
  goals: Goal[];
}

export interface BenchmarkOptions {
  /** Smaller input and fewer rounds: shows that the benchmark works, and the order of its figures. */
  isQuick: boolean;
  /** An empty folder, removed afterwards. */
  directory: string;
  /** Shows what is measured now. */
  progress: (what: string) => void;
}

export interface Benchmark {
  title: string;
  /** What is measured, and beside which yardsticks. */
  explains: string;
  /** What limits the figures. */
  limits: string;
  run: (options: BenchmarkOptions) => Promise<Report>;
}

/** A report as it is stored. */
export interface StoredReport extends Report {
  name: string;
  title: string;
  explains: string;
  limits: string;
  machine: string;
  date: string;
  seconds: number;
  isQuick: boolean;
}

/** @throws when there are no samples. */
export function median(samples: Samples): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('There are no samples.');
  return middle;
}

/** @param share 0.99: the value that 99 % of the samples do not exceed. @throws when there are no samples. */
export function percentile(samples: Samples, share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const value = sorted[Math.ceil(share * sorted.length) - 1];
  if (value === undefined) throw new Error('There are no samples.');
  return value;
}

/** A goal that the figure must not fall below. */
export function atLeast(goal: string, limit: number, found: number): Goal {
  return { goal: `${goal}: at least ${limit}`, found: found.toFixed(2), isMet: found >= limit };
}

/** A goal that the figure must not exceed. */
export function atMost(goal: string, limit: number, found: number, unit = ''): Goal {
  const text = (value: number) => `${Number(value.toFixed(2)).toLocaleString('en')}${unit}`;
  return { goal: `${goal}: at most ${text(limit)}`, found: text(found), isMet: found <= limit };
}
