import { type Cluster } from '../system/cluster.js';
import { judgeEnds } from './ends.js';
import { type Facts, gatherFacts, type InjectedFault } from './facts.js';
import { judgeIndex } from './index-state.js';
import { judgeRuns } from './runs.js';
import { endAll, heal, pauseAll, quiet, syncAll } from './settle.js';
import { judgeTicks } from './ticks.js';
import { Judge, type Verdict } from './verdict.js';

export interface Judgement {
  facts: Facts;
  verdicts: Verdict[];
}

/** Removes all faults, waits until no run is active, runs all checks and stops the pods. */
export async function judgeAll(cluster: Cluster, injected: readonly InjectedFault[]): Promise<Judgement> {
  await heal(cluster);
  const endedAt = await pauseAll(cluster);
  const stuck = new Judge('G9', 'After all faults, every run ends');
  await quiet(cluster).then(
    () => stuck.check(true, () => ''),
    (error: unknown) => stuck.check(false, () => String(error)),
  );
  const verdicts = [stuck.verdict(), await judgeIndex(cluster, 'pointer')];
  verdicts.push(await syncAll(cluster), await judgeIndex(cluster, 'head'));
  const facts = await gatherFacts(cluster, injected, endedAt);
  const heldLeases = await endAll(cluster);
  facts.podEvents = cluster.podEvents;
  verdicts.push(...judgeTicks(facts), ...judgeRuns(facts), ...judgeEnds(facts, heldLeases));
  return { facts, verdicts: verdicts.sort((one, other) => order(one).localeCompare(order(other))) };
}

/** I1 to I10 in the order of their numbers, then the rest. */
function order({ invariant }: Verdict): string {
  return invariant.replace(/\d+/, (digits) => digits.padStart(2, '0')).replace(/^I/, '!');
}
