import { type Facts, groupBy, type InjectedFault } from './check/facts.js';
import { requeueReasons } from './check/runs.js';
import { type Verdict } from './check/verdict.js';

/** The result of one run of the harness. */
export interface FaultReport {
  name: string;
  mode: string;
  seed: number;
  minutes: number;
  pods: number;
  injected: Record<string, number>;
  deeds: Record<string, number>;
  executions: Record<string, number>;
  requeued: Record<string, number>;
  embeddings: { texts: number; repeated: number };
  /** Counts of log lines of level warn and above, by message. */
  warnings: Record<string, number>;
  verdicts: Verdict[];
  /** Invariants that the scenario should have observed and did not. */
  unobserved: string[];
  /** Parts that this machine cannot run, with the reason. */
  skipped: string[];
  isHeld: boolean;
}

const MOST_EVIDENCE = 8;

export function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Record<string, number> {
  const counts = [...groupBy(items, keyOf)].map(([key, group]) => [key, group.length] as const);
  return Object.fromEntries(counts.sort(([, one], [, other]) => other - one));
}

export function summarise(
  facts: Facts,
  verdicts: readonly Verdict[],
  mayMiss: readonly string[],
  timesEmbedded: ReadonlyMap<string, number>,
): Pick<
  FaultReport,
  'injected' | 'executions' | 'requeued' | 'embeddings' | 'warnings' | 'verdicts' | 'unobserved' | 'isHeld'
> {
  const loud = facts.lines.filter(({ level }) => ['warn', 'error', 'fatal', 'none'].includes(level));
  const times = [...timesEmbedded.values()];
  const unobserved = verdicts.flatMap(({ invariant, looked }) => (looked === 0 ? [invariant] : []));
  return {
    injected: countBy(facts.injected, ({ fault }: InjectedFault) => fault),
    executions: countBy(facts.executions, ({ trigger, status, error_code }) =>
      [trigger, status, status === 'completed' ? null : error_code].filter(Boolean).join(' '),
    ),
    requeued: requeueReasons(facts.steps),
    embeddings: { texts: times.length, repeated: times.reduce((sum, count) => sum + count - 1, 0) },
    warnings: countBy(loud, ({ level, message }) => `${level}: ${message}`),
    verdicts: [...verdicts],
    // An invariant without an occasion to break was not tested, so it does not count as held.
    unobserved: unobserved.filter((invariant) => !mayMiss.includes(invariant)),
    isHeld:
      verdicts.every(({ violations }) => violations.length === 0) &&
      unobserved.every((invariant) => mayMiss.includes(invariant)),
  };
}

/** Formats the report for a terminal. */
export function render(report: FaultReport): string {
  const { name, mode, seed, minutes, pods } = report;
  const lines = [
    '',
    `${name}: ${mode}, ${pods} pod(s), seed ${seed}, ${minutes} minute(s)`,
    ...section('Faults', report.injected),
    ...section('Deeds', report.deeds),
    ...section('Executions', report.executions),
    ...section('Handed over or repeated', report.requeued),
    `  Embedded ${report.embeddings.texts} texts, ${report.embeddings.repeated} of them again`,
    ...section('Warnings and errors logged', report.warnings),
    '',
    ...report.verdicts.flatMap(renderVerdict),
    ...report.skipped.map((what) => `  left out: ${what}`),
    '',
    ...(report.unobserved.length > 0 ? [`NOT OBSERVED: ${report.unobserved.join(', ')}`] : []),
    report.isHeld ? 'Every invariant was observed and held.' : 'FAILED: see above.',
  ];
  return `${lines.join('\n')}\n`;
}

function section(title: string, counts: Readonly<Record<string, number>>): string[] {
  const entries = Object.entries(counts);
  if (entries.length === 0) return [];
  const total = entries.reduce((sum, [, count]) => sum + count, 0);
  return [
    `  ${title} (${total}):`,
    ...entries.map(([what, count]) => `    ${String(count).padStart(6)}  ${what}`),
  ];
}

function renderVerdict({ invariant, promise, looked, violations, measured }: Verdict): string[] {
  const state = violations.length > 0 ? 'VIOLATED' : looked === 0 ? 'unseen' : 'held';
  const numbers = Object.entries(measured).map(([what, value]) => `${what} ${value}`);
  const more = violations.length - MOST_EVIDENCE;
  return [
    `  ${invariant.padEnd(4)}${state.padEnd(9)} ${promise} (observed ${looked} times)`,
    ...(numbers.length > 0 ? [`                ${numbers.join(', ')}`] : []),
    ...violations.slice(0, MOST_EVIDENCE).map((violation) => `         ! ${violation}`),
    ...(more > 0 ? [`         ! and ${more} more`] : []),
  ];
}
