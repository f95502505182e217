import { type DurationStatistics } from '@core/domain';

const STEP_SECONDS = 15;
/** With a longer TTL, a killed pod would block its repository for too long. */
const LONGEST_SECONDS = 300;

/**
 * A lease is renewed during its run, so its TTL may be shorter than the run. It must survive two failed renewals. A longer
 * TTL tolerates longer pauses of a pod or of Redis, but delays a takeover. A TTL above p95 has no benefit, because most
 * runs have ended by then.
 * @returns the explanation for people.
 */
export function suggestLeaseTtl(
  { runs, p95 }: Pick<DurationStatistics, 'runs' | 'p95'>,
  renewSeconds: number,
): { seconds: number; explanation: string } {
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
