import { type Random } from '@devkit';
import { type Judge } from '../check/verdict.js';
import { type Fleet, type Registered } from '../storm/fleet.js';
import { type Storm } from '../storm/storm.js';
import { type Cluster, type Mode } from '../system/cluster.js';
import { type Pod } from '../system/pod.js';
import { type TIMINGS } from '../system/timings.js';

/** The system and the tools that a scenario uses. */
export interface Stage {
  cluster: Cluster;
  fleet: Fleet;
  storm: Storm;
  random: Random;
  /** The requested duration; scenarios with a fixed end ignore it. */
  minutes: number;
  /** Checks of this scenario beyond the invariants. */
  expect: Judge;
  say: (line: string) => void;
}

/** A sequence of faults on real processes. */
export interface Scenario {
  name: string;
  /** The guarantee that it tests, as a sentence. */
  promise: string;
  modes: readonly Mode[];
  pods: number;
  branches: number;
  timings: keyof typeof TIMINGS;
  minutes: number;
  /** Cron expression of every repository's schedule; null: no schedules. */
  expression: string | null;
  /** Every third repository has a second schedule, whose ticks coincide with those of the first. */
  isCoincident?: boolean;
  /** Invariants for which this scenario may give no occasion. Any other one that was not observed fails it. */
  mayMiss: readonly string[];
  /** Clock offsets of the pods, used in turn. */
  skewsSeconds?: readonly number[];
  isInKubernetes?: boolean;
  /** Settings that replace the defaults. */
  settings?: Readonly<Record<string, string>>;
  /** @returns the number of deeds by name, for the report. */
  play(stage: Stage): Promise<Record<string, number> | void>;
}

export const EVERYWHERE: readonly Mode[] = ['distributed', 'advisory', 'standalone'];
export const SHARED: readonly Mode[] = ['distributed', 'advisory'];

export interface RunRow {
  id: string;
  status: string;
  attempt: number;
  interruptions: number;
  pod_name: string | null;
  error_code: string | null;
  started_at: Date | null;
}

export async function rowOf({ cluster }: Stage, executionId: string): Promise<RunRow> {
  const [row] = await cluster.postgres.query<RunRow>('SELECT * FROM schedule_execution_logs WHERE id = $1', [
    executionId,
  ]);
  if (row === undefined) throw new Error(`There is no execution ${executionId}.`);
  return row;
}

/** Starts a manual run. @throws when the API refuses it. */
export async function startRun({ cluster }: Stage, { id }: Registered, pod?: Pod): Promise<string> {
  const { status, body } = await cluster.api('POST', `/repositories/${id}/sync`, {}, pod);
  if (status !== 202) throw new Error(`The sync was refused with ${status}: ${JSON.stringify(body)}`);
  return String(body['execution_id']);
}

export async function storedFiles({ cluster }: Stage, { id }: Registered): Promise<string[]> {
  const rows = await cluster.postgres.query<{ path: string }>(
    'SELECT path FROM repository_files WHERE repository_id = $1 AND indexed_at IS NOT NULL',
    [id],
  );
  return rows.map(({ path }) => path);
}
