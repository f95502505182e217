import { type Cluster } from '../system/cluster.js';
import { type LogLine, type PodEvent } from '../system/pod.js';
import { type StoreWrite } from '../system/stand-ins-protocol.js';
import { type Timings } from '../system/timings.js';

/** An injected fault and the time during which it lasted, in milliseconds since 1970. */
export interface InjectedFault {
  fault: string;
  target: string;
  from: number;
  to: number;
}

/** One step of an execution, as the audit triggers recorded it. */
export interface Step {
  at: Date;
  execution_id: string;
  repository_id: string;
  schedule_id: string | null;
  scheduled_for: Date | null;
  former_status: string | null;
  status: string;
  attempt: number;
  fence: number;
  pod_name: string | null;
  former_pod_name: string | null;
  interruptions: number;
  cancel_requested_at: Date | null;
  error_code: string | null;
  schedule_revision: number | null;
}

export interface ScheduleEdit {
  at: Date;
  schedule_id: string;
  revision: number;
  cron_expression: string;
  is_live: boolean;
  next_run_at: Date | null;
  former_next_run_at: Date | null;
}

export interface ExecutionRow {
  id: string;
  schedule_session_id: string | null;
  repository_id: string;
  trigger: string;
  handler: string;
  scheduled_for: Date | null;
  status: string;
  attempt: number;
  interruptions: number;
  error_code: string | null;
  scheduled_until: Date | null;
  coalesced_count: number;
  satisfied_by: string | null;
}

/** The input of all checks, gathered once when no run is queued or running. */
export interface Facts {
  timings: Timings;
  executions: ExecutionRow[];
  /** Ordered by time. */
  steps: Step[];
  edits: ScheduleEdit[];
  podEvents: PodEvent[];
  lines: LogLine[];
  storeWrites: StoreWrite[];
  injected: readonly InjectedFault[];
  secrets: readonly string[];
  standInViolations: string[];
  /** When all schedules were paused at the end of the scenario. */
  endedAt: Date;
}

export async function gatherFacts(
  cluster: Cluster,
  injected: readonly InjectedFault[],
  endedAt: Date,
): Promise<Facts> {
  const { postgres, standIns } = cluster;
  await standIns.collectLog();
  return {
    timings: cluster.options.timings,
    executions: await postgres.query<ExecutionRow>('SELECT * FROM schedule_execution_logs'),
    steps: (await postgres.query<Step>('SELECT * FROM faults.execution_steps ORDER BY at, step')).map(
      withNumbers,
    ),
    edits: await postgres.query<ScheduleEdit>('SELECT * FROM faults.schedule_edits ORDER BY at, step'),
    podEvents: cluster.podEvents,
    lines: cluster.everyPod.flatMap(({ lines }) => lines),
    storeWrites: standIns.storeWrites,
    injected,
    secrets: cluster.secrets,
    standInViolations: [...standIns.violations],
    endedAt,
  };
}

/** The driver returns a bigint as text. */
function withNumbers(step: Step): Step {
  return { ...step, fence: Number(step.fence) };
}

export function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Milliseconds of faults between two instants; faults that overlap are all counted. Time bounds are extended by it. */
export function faultMsBetween(injected: readonly InjectedFault[], from: number, to: number): number {
  return injected.reduce(
    (sum, fault) => sum + Math.max(0, Math.min(to, fault.to) - Math.max(from, fault.from)),
    0,
  );
}
