import { Random } from '@devkit';
import { type Facts, type InjectedFault } from './check/facts.js';
import { judgeAll } from './check/judge-all.js';
import { Judge } from './check/verdict.js';
import { type FaultReport, summarise } from './report.js';
import { type Scenario } from './scenarios/scenario.js';
import { Fleet } from './storm/fleet.js';
import { Storm } from './storm/storm.js';
import { Cluster, type Mode } from './system/cluster.js';
import { canFakeTime } from './system/fake-time.js';
import { TIMINGS } from './system/timings.js';

export interface PerformOptions {
  mode: Mode;
  seed: number;
  directory: string;
  say: (line: string) => void;
  /** Overrides of the scenario's own values. */
  minutes?: number;
  pods?: number;
  branches?: number;
  timings?: keyof typeof TIMINGS;
  /** The bundle of another version with the same schema, for every second pod. */
  otherBundle?: string;
  /** Pods reach Postgres through PgBouncer. */
  isPooled?: boolean;
}

const LOG_EVERY_MS = 5_000;

/** Runs a scenario on a new cluster, then checks all invariants. */
export async function perform(scenario: Scenario, options: PerformOptions): Promise<FaultReport> {
  const { mode, seed, directory, say } = options;
  const minutes = options.minutes ?? scenario.minutes;
  const skews = scenario.skewsSeconds;
  const cluster = await Cluster.start({
    mode,
    directory,
    timings: TIMINGS[options.timings ?? scenario.timings],
    podCount: options.pods ?? scenario.pods,
    branchCount: options.branches ?? scenario.branches,
    random: new Random(seed),
    ...(skews && canFakeTime() ? { skewsSeconds: skews } : {}),
    ...(scenario.isInKubernetes ? { isInKubernetes: true } : {}),
    ...(scenario.settings ? { settings: scenario.settings } : {}),
    ...(options.isPooled ? { isPooled: true } : {}),
    ...(options.otherBundle === undefined ? {} : { otherBundle: options.otherBundle }),
  });
  const collecting = setInterval(
    () => void cluster.standIns.collectLog().catch(() => undefined),
    LOG_EVERY_MS,
  );
  try {
    const fleet = new Fleet(cluster, scenario.isCoincident === true);
    await fleet.registerAll(scenario.expression);
    const expect = new Judge('own', scenario.promise);
    const announce = ({ fault, target }: InjectedFault): void => say(`${fault} (${target})`);
    const storm = new Storm(cluster, new Random(seed + 1), announce);
    const stage = { cluster, fleet, storm, minutes, expect, say, random: new Random(seed + 2) };
    const deeds = (await scenario.play(stage)) ?? {};
    await cluster.standIns.call('slowDown', 0);
    say('no more faults; waiting until all runs have ended');
    const { facts, verdicts } = await judgeAll(cluster, storm.injected);
    const report: FaultReport = {
      ...{ name: scenario.name, mode, seed, minutes, pods: cluster.slots.length, deeds },
      ...summarise(facts, [expect.verdict(), ...verdicts], scenario.mayMiss, cluster.standIns.timesEmbedded),
      skipped:
        skews && !canFakeTime()
          ? ['clocks set apart: libfaketime is missing (apt-get install faketime)']
          : [],
    };
    await keepEvidence(cluster, facts, report);
    return report;
  } finally {
    clearInterval(collecting);
    await cluster.stop();
  }
}

/** The logs of the pods are separate files, so the facts are stored without them. */
async function keepEvidence(cluster: Cluster, facts: Facts, report: FaultReport): Promise<void> {
  await cluster.keep('report.json', JSON.stringify(report, null, 2));
  await cluster.keep('facts.json', JSON.stringify({ ...facts, lines: undefined }));
}
