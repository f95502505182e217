import { Random } from '@devkit';
import { type Facts, type Harm } from './check/facts.js';
import { judgeAll } from './check/judge-all.js';
import { type FaultReport, summarise } from './report.js';
import { Fleet } from './storm/fleet.js';
import { Storm } from './storm/storm.js';
import { work } from './storm/workload.js';
import { Cluster, type Mode } from './system/cluster.js';
import { canFakeTime } from './system/fake-time.js';
import { type Timings } from './system/timings.js';

export interface StormOptions {
  mode: Mode;
  seed: number;
  minutes: number;
  pods: number;
  branches: number;
  timings: Timings;
  directory: string;
  onHarm?: (harm: Harm) => void;
}

/** Clocks of the pods, in turn: right, a breath off, and far off both ways. */
const SKEWS = [0, 1.5, -90, 90, -3, 30];
/** A batch of embeddings takes about so long, so that harm meets runs in their middle. */
const EMBEDDING_MS = 300;
/** After the storm the system is left alone for a minute's tick. */
const CALM_MS = 65_000;
const LOG_EVERY_MS = 5_000;

/** Users at work and harm at random for so many minutes, then everything is looked at. */
export async function runStorm(options: StormOptions): Promise<FaultReport> {
  const { mode, seed, minutes, pods, branches, timings, directory } = options;
  const cluster = await Cluster.start({
    mode,
    timings,
    directory,
    podCount: pods,
    branchCount: branches,
    skewsSeconds: canFakeTime ? SKEWS : [0],
    random: new Random(seed),
  });
  const collecting = setInterval(
    () => void cluster.standIns.collectLog().catch(() => undefined),
    LOG_EVERY_MS,
  );
  try {
    const fleet = new Fleet(cluster);
    await fleet.registerAll('* * * * *');
    await cluster.standIns.call('slowDown', EMBEDDING_MS);
    const storm = new Storm(cluster, new Random(seed + 1), options.onHarm);
    const over = AbortSignal.timeout(minutes * 60_000);
    const [deeds] = await Promise.all([work(fleet, new Random(seed + 2), over), storm.rage(over)]);
    await new Promise((resolve) => setTimeout(resolve, CALM_MS));
    const { facts, verdicts } = await judgeAll(cluster, storm.harms);
    const report: FaultReport = {
      ...{ name: 'storm', mode, seed, minutes, pods: cluster.slots.length, deeds },
      ...summarise(facts, verdicts, cluster.standIns.timesEmbedded),
      skipped: canFakeTime ? [] : ['skewed clocks: libfaketime is not installed (apt-get install faketime)'],
    };
    await keepEvidence(cluster, facts, report);
    return report;
  } finally {
    clearInterval(collecting);
    await cluster.stop();
  }
}

/** The pods' words are kept in files of their own. */
async function keepEvidence(cluster: Cluster, facts: Facts, report: FaultReport): Promise<void> {
  const rows = { ...facts, lines: undefined };
  await cluster.keep('report.json', JSON.stringify(report, null, 2));
  await cluster.keep('facts.json', JSON.stringify(rows));
}
