import { until } from '../check/settle.js';
import { type Registered } from '../storm/fleet.js';
import { type Pod } from '../system/pod.js';
import { rowOf, type Stage, startRun, storedFiles } from './scenario.js';

const FILES = 240;
const LINES = 110;
/** Duration of each embedding request; a run sends four small ones at once. The run then takes some twenty seconds. */
const EMBEDDING_MS = 300;
const PATIENCE_MS = 60_000;

/** A run in the middle of its work. */
export interface LongRun {
  entry: Registered;
  executionId: string;
  holder: Pod;
}

/** Starts a run of many files on a repository and waits until some of them are stored. */
export async function startLongRun(
  stage: Stage,
  entry = stage.fleet.registered[0]!,
  files = FILES,
): Promise<LongRun> {
  await stage.cluster.code.grow(entry.branch, files, LINES);
  await stage.cluster.standIns.call('slowDown', EMBEDDING_MS);
  const executionId = await startRun(stage, entry);
  await until('a part to be stored', PATIENCE_MS, async () => (await grown(stage, entry)).length > files / 8);
  const { pod_name } = await rowOf(stage, executionId);
  const holder = stage.cluster.slots.find(({ name }) => name === pod_name);
  if (holder === undefined) throw new Error(`The run ended too early to be met in its middle (${pod_name}).`);
  stage.say(`${holder.name} is in the middle of ${executionId}`);
  return { entry, executionId, holder };
}

/** The stored files among those that the long run adds. */
export async function grown(stage: Stage, entry: Registered): Promise<string[]> {
  return (await storedFiles(stage, entry)).filter((path) => path.startsWith('grown/'));
}

/** Resolves with the row when the run has ended. */
export async function ended(stage: Stage, { executionId }: LongRun, limitMs = 180_000) {
  await until('the run to end', limitMs, async () => {
    const { status } = await rowOf(stage, executionId);
    return status !== 'queued' && status !== 'running';
  });
  return rowOf(stage, executionId);
}
