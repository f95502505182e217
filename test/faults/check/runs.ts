import { takeOverBoundSeconds } from '../system/timings.js';
import { type PodEvent } from '../system/pod.js';
import { type Facts, groupBy, faultMsBetween, type Step } from './facts.js';
import { Judge, percentile, seconds, type Verdict } from './verdict.js';

/** One attempt, for the time in which its row had the status `running`. */
export interface Attempt {
  executionId: string;
  repositoryId: string;
  attempt: number;
  fence: number;
  podName: string;
  from: number;
  /** Infinity while it runs. */
  to: number;
  /** The status of the row after the attempt. */
  became: string | null;
  endCode: string | null;
  interruptionsBefore: number;
  interruptionsAfter: number;
}

export function attemptsOf(facts: Facts): Attempt[] {
  const attempts: Attempt[] = [];
  for (const steps of groupBy(facts.steps, ({ execution_id }) => execution_id).values()) {
    steps.forEach((step, position) => {
      if (step.status !== 'running' || step.former_status === 'running') return;
      const end = steps.slice(position + 1).find(({ status }) => status !== 'running');
      attempts.push({
        executionId: step.execution_id,
        repositoryId: step.repository_id,
        attempt: step.attempt,
        fence: step.fence,
        podName: step.pod_name ?? '',
        from: step.at.getTime(),
        to: end?.at.getTime() ?? Infinity,
        became: end?.status ?? null,
        endCode: end?.error_code ?? null,
        interruptionsBefore: step.interruptions,
        interruptionsAfter: end?.interruptions ?? step.interruptions,
      });
    });
  }
  return attempts.sort((one, other) => one.from - other.from);
}

/** I2, I6, I8 and the take-over bound of G5. */
export function judgeRuns(facts: Facts): Verdict[] {
  const attempts = attemptsOf(facts);
  return [
    judgeAlone(attempts),
    judgeFences(facts, attempts),
    judgeCancels(facts),
    judgeTakeOvers(facts, attempts),
  ];
}

function judgeAlone(attempts: readonly Attempt[]): Verdict {
  const judge = new Judge('I2', 'At most one run of a repository is running at any moment');
  for (const [repository, own] of groupBy(attempts, ({ repositoryId }) => repositoryId)) {
    own.forEach((attempt, position) => {
      const former = own[position - 1];
      judge.check(
        former === undefined || former.to <= attempt.from,
        () => `${repository}: fence ${former?.fence} still ran when fence ${attempt.fence} started`,
      );
    });
  }
  judge.measure('attempts', attempts.length);
  judge.measure('most attempts of one run', Math.max(0, ...attempts.map(({ attempt }) => attempt)));
  return judge.verdict();
}

/** Late writes may reach the store. The check of the index judges their effect. */
function judgeFences(facts: Facts, attempts: readonly Attempt[]): Verdict {
  const judge = new Judge(
    'I6',
    'Fences grow with each attempt, and no row ends under another fence than it ran under',
  );
  for (const own of groupBy(attempts, ({ repositoryId }) => repositoryId).values()) {
    own.forEach((attempt, position) => {
      const former = own[position - 1];
      judge.check(
        former === undefined || former.fence < attempt.fence,
        () => `${attempt.repositoryId}: fence ${attempt.fence} started after fence ${former?.fence}`,
      );
    });
  }
  const byFence = new Map(attempts.map((attempt) => [attempt.fence, attempt]));
  for (const step of facts.steps) {
    if (step.former_status !== 'running' || step.status === 'running') continue;
    judge.check(
      byFence.get(step.fence)?.executionId === step.execution_id,
      () => `${step.execution_id} ended under fence ${step.fence}, which never started it`,
    );
  }
  const late = facts.storeWrites.flatMap(({ at, fence }) => {
    const attempt = fence === null ? undefined : byFence.get(fence);
    return attempt !== undefined && at.getTime() > attempt.to ? [at.getTime() - attempt.to] : [];
  });
  judge.measure('late writes that reached the store', late.length);
  judge.measure('latest of them', seconds(Math.max(0, ...late)));
  return judge.verdict();
}

function judgeCancels(facts: Facts): Verdict {
  const judge = new Judge('I8', 'A cancelled run stops with its next heartbeat');
  const boundMs = (facts.timings.leaseRenew + facts.timings.request + 5) * 1000;
  const waits: number[] = [];
  for (const steps of groupBy(facts.steps, ({ execution_id }) => execution_id).values()) {
    const asked = steps.find(
      ({ cancel_requested_at, status }) => cancel_requested_at !== null && status === 'running',
    );
    if (asked === undefined) continue;
    const end = steps.slice(steps.indexOf(asked) + 1).find(({ status }) => status !== 'running');
    const from = asked.at.getTime();
    const to = end?.at.getTime() ?? Infinity;
    waits.push(to - from);
    const faultMs = faultMsBetween(facts.injected, from - boundMs, Math.min(to, facts.endedAt.getTime()));
    // A pod under a fault does not see the cancel request; the reaper ends its run instead.
    const allowedMs =
      faultMs === 0 ? boundMs : boundMs + faultMs + takeOverBoundSeconds(facts.timings) * 1000;
    judge.check(
      to - from <= allowedMs,
      () => `${asked.execution_id} stopped ${seconds(to - from)} after the request`,
    );
    judge.check(
      end === undefined || ['cancelled', 'completed', 'partial', 'failed'].includes(end.status),
      () => `${asked.execution_id} became ${end?.status} after it was cancelled`,
    );
  }
  judge.measure('longest', seconds(Math.max(0, ...waits)));
  return judge.verdict();
}

function judgeTakeOvers(facts: Facts, attempts: readonly Attempt[]): Verdict {
  const judge = new Judge('G5', 'Another pod continues the run of a lost pod within the take-over limit');
  const boundMs = takeOverBoundSeconds(facts.timings) * 1000;
  const waits: number[] = [];
  for (const lost of attempts) {
    if (lost.interruptionsAfter === lost.interruptionsBefore) continue;
    const next = attempts.find(
      ({ executionId, attempt }) => executionId === lost.executionId && attempt > lost.attempt,
    );
    const lostAt = whenLost(facts, lost);
    const resumedAt = next?.from ?? lost.to;
    waits.push(resumedAt - lostAt);
    const faultMs = faultMsBetween(facts.injected, lostAt, resumedAt);
    judge.check(
      resumedAt - lostAt <= boundMs + faultMs,
      () => `${lost.executionId}: lost with ${lost.podName}, resumed after ${seconds(resumedAt - lostAt)}`,
    );
  }
  judge.measure('longest', seconds(Math.max(0, ...waits)));
  judge.measure('median', seconds(percentile(waits, 0.5)));
  judge.measure('given up', attempts.filter(({ endCode }) => endCode === 'run_interrupted').length);
  return judge.verdict();
}

/** The first event during the attempt that takes the run from its pod; the attempt's end when only its network failed. */
function whenLost(facts: Facts, { podName, from, to }: Attempt): number {
  const loss = facts.podEvents.find(
    (event) => event.pod === podName && event.at >= from && event.at <= to && losesRuns(event, facts),
  );
  return loss?.at ?? to;
}

/** A pod goes on with its runs after a freeze, unless the freeze outlasted the lease while another pod was up. */
function losesRuns({ kind, pod, at }: PodEvent, { podEvents, timings }: Facts): boolean {
  if (kind !== 'frozen') return kind === 'killed' || kind === 'ended';
  const until = at + timings.leaseTtl * 1000;
  const isThawedInTime = podEvents.some(
    (event) => event.pod === pod && event.kind === 'thawed' && event.at >= at && event.at <= until,
  );
  return !isThawedInTime && podEvents.some((event) => event.pod !== pod && isUp(event, podEvents, at));
}

/** Whether the pod that this event started was up at that time. */
function isUp({ kind, pod, at: start }: PodEvent, podEvents: readonly PodEvent[], at: number): boolean {
  if (kind !== 'started' || start > at) return false;
  return !podEvents.some(
    (event) => event.pod === pod && event.kind === 'ended' && event.at >= start && event.at <= at,
  );
}

/** Counts the steps that requeued a run, by reason. */
export function requeueReasons(steps: readonly Step[]): Record<string, number> {
  const reasons: Record<string, number> = {};
  for (const { status, former_status, error_code, interruptions } of steps) {
    if (status !== 'queued' || former_status !== 'running') continue;
    const reason = error_code ?? (interruptions > 0 ? 'pod lost' : 'unknown');
    reasons[reason] = (reasons[reason] ?? 0) + 1;
  }
  return reasons;
}
