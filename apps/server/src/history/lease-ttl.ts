import { type DurationStatistics } from '@core/domain';

export interface SuggestedLeaseTtl {
  seconds: number;
  /** For people. */
  explanation: string;
}

const STEP_SECONDS = 15;
/** Longer, and a killed pod blocks its repository beyond what an operator would call soon. */
const LONGEST_SECONDS = 300;

/**
 * A lease is renewed while its run lives, so it need not outlast the run. It must outlast two failed renewals; beyond
 * that a longer life forgives longer pauses of a pod and of Redis, at the price of a later take-over. A life above p95 buys
 * nothing: by then most runs would be over.
 */
export function suggestLeaseTtl(
  { runs, p95 }: Pick<DurationStatistics, 'runs' | 'p95'>,
  renewSeconds: number,
): SuggestedLeaseTtl {
  const least = renewSeconds * 3;
  const most = Math.max(least, LONGEST_SECONDS);
  const bounds = `at least ${least} s, three renewals, and at most ${most} s`;
  if (p95 === null) {
    return { seconds: least, explanation: `No run of the range has a duration: ${bounds}.` };
  }
  const rounded = Math.ceil(p95 / STEP_SECONDS) * STEP_SECONDS;
  return {
    seconds: Math.min(Math.max(rounded, least), most),
    explanation: `95 % of ${runs} runs took at most ${p95.toFixed(1)} s: rounded up to ${rounded} s, ${bounds}.`,
  };
}
