import { type Facts } from './facts.js';
import { attemptsOf } from './runs.js';
import { Judge, seconds, type Verdict } from './verdict.js';

const EVIDENCE_LENGTH = 300;

/** I9 and G12: how processes ended, and that their logs show no secret and no bug. */
export function judgeEnds(facts: Facts, heldLeases: readonly string[]): Verdict[] {
  return [judgeExits(facts, heldLeases), judgeWords(facts)];
}

function judgeExits(facts: Facts, heldLeases: readonly string[]): Verdict {
  const judge = new Judge(
    'I9',
    'SIGTERM ends a pod with exit code 0, within the grace and with nothing left behind',
  );
  const graceMs = facts.timings.shutdownGrace * 1000;
  const attempts = attemptsOf(facts);
  let longest = 0;
  let withoutStores = 0;
  for (const [position, event] of facts.podEvents.entries()) {
    if (event.kind !== 'ended') continue;
    const before = facts.podEvents.slice(0, position).filter(({ pod }) => pod === event.pod);
    const life = before.slice(before.findLastIndex(({ kind }) => kind === 'started'));
    const isKilled = life.some(({ kind }) => kind === 'killed');
    const term = life.find(({ kind }) => kind === 'terminated');
    // A pod that fails to start during an outage logs the reason, and its supervisor starts it again.
    if (!event.wasAsked) {
      judge.check(!event.hadListened, () => `${event.pod} ended by itself with ${event.exit}`);
    } else if (term && !isKilled) {
      const tookMs = event.at - term.at;
      longest = Math.max(longest, tookMs);
      judge.check(tookMs <= graceMs + 2_000, () => `${event.pod} took ${seconds(tookMs)} to end`);
      judge.check(
        event.exit === 0,
        () => `${event.pod} ended with ${event.exit} ${seconds(tookMs)} after SIGTERM`,
      );
      // Nothing can be handed over in stores that do not answer; then the take-over limit (G5) holds.
      if (saysItCannotHandOver(facts, event.pod, term.at, event.at)) {
        withoutStores += 1;
        judge.check(
          lacksStores(facts, event.pod, term.at, event.at),
          () => `${event.pod} handed nothing over although its stores answered`,
        );
        continue;
      }
      const left = attempts.filter(
        ({ podName, from, to }) =>
          podName === event.pod && from >= life[0]!.at && from < event.at && to > event.at,
      );
      judge.check(
        left.length === 0,
        () => `${event.pod} left ${left[0]?.executionId} running at a clean exit`,
      );
    }
  }
  judge.check(heldLeases.length === 0, () => `left behind after the last exit: ${heldLeases.join(', ')}`);
  judge.measure('longest stop', seconds(longest));
  judge.measure('ended without a hand-over, because a store did not answer', withoutStores);
  return judge.verdict();
}

function saysItCannotHandOver({ lines }: Facts, pod: string, from: number, to: number): boolean {
  return lines.some(
    (line) =>
      line.pod === pod && line.at >= from && line.at <= to && line.message.startsWith('stopped without'),
  );
}

const SILENCE =
  /^(postgres|redis).* (refused|swallowed|half-open) for|^Redis (killed|frozen|demoted)|^Postgres crashed/;

/** Whether Postgres or Redis did not answer this pod at some time while it stopped. */
function lacksStores({ injected }: Facts, pod: string, from: number, to: number): boolean {
  return injected.some(
    (fault) =>
      SILENCE.test(fault.fault) &&
      ['all', 'redis', 'postgres', pod].includes(fault.target) &&
      fault.from < to &&
      fault.to > from,
  );
}

function judgeWords(facts: Facts): Verdict {
  const judge = new Judge(
    'G12',
    'No secret in a log, no bug reported in one, and the stand-ins found nothing wrong',
  );
  for (const { pod, message, fields, level } of facts.lines) {
    const text = `${message} ${JSON.stringify(fields)}`;
    judge.check(
      !facts.secrets.some((secret) => text.includes(secret)),
      () => `${pod} logged a secret: ${message}`,
    );
    const isBug = /"(internal_error|database_error)"/.test(text) || level === 'fatal' || level === 'none';
    judge.check(!isBug, () => `${pod}: ${text.slice(0, EVIDENCE_LENGTH)}`);
  }
  for (const violation of facts.standInViolations) judge.check(false, () => `stand-in: ${violation}`);
  return judge.verdict();
}
