import { monitorEventLoopDelay } from 'node:perf_hooks';
import {
  createExecutionStore,
  createRepositoryStore,
  createScheduleStore,
  type Database,
  PostgresHistory,
  PushStore,
} from '@adapters/postgres';
import {
  type ExecutionFilter,
  type RunIdentity,
  type RunOutcome,
  RUN_HANDLERS,
  zeroCounters,
} from '@core/domain';
import { decideClaim, scheduleTiming } from '@core/schedules';
import { makeDue } from './queue-scale-data.js';

export interface Measurement {
  name: string;
  rounds: number;
  min: number;
  median: number;
  p95: number;
  max: number;
  /** Whether its p95 has the limit. */
  isBounded: boolean;
}

interface Case {
  name: string;
  work: (round: number) => Promise<unknown>;
  /** Not measured. */
  prepare?: (round: number) => Promise<unknown>;
  rounds?: number;
  isBounded?: boolean;
}

const ROUNDS = 40;
const DAY_MS = 86_400_000;
const BACKLOGGED = 100;

export async function measureAll(
  db: Database,
  onProgress: (name: string, share: number) => void,
): Promise<Measurement[]> {
  const cases = [...(await queueCases(db)), ...choreCases(db), ...(await readCases(db)), ...endCases(db)];
  const measurements: Measurement[] = [];
  for (const [index, each] of cases.entries()) {
    onProgress(each.name, index / cases.length);
    measurements.push(await measure(each));
  }
  return [...measurements, ...(await measureBacklog(db))];
}

async function measure({
  name,
  work,
  prepare,
  rounds = ROUNDS,
  isBounded = true,
}: Case): Promise<Measurement> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await prepare?.(round);
    const begun = performance.now();
    await work(round);
    times.push(performance.now() - begun);
  }
  return { name, isBounded, ...summaryOf(times) };
}

function summaryOf(times: readonly number[]): Omit<Measurement, 'name' | 'isBounded'> {
  const sorted = [...times].sort((left, right) => left - right);
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { rounds: sorted.length, min: at(0), median: at(0.5), p95: at(0.95), max: at(1) };
}

async function queueCases(db: Database): Promise<Case[]> {
  const executions = createExecutionStore(db);
  const schedules = createScheduleStore(db);
  const taken: RunIdentity[] = [];
  const podName = 'repotide-bench';
  const take = async (): Promise<void> => {
    const found = await executions.take({ podName, handlers: RUN_HANDLERS }, async () => true);
    if (found?.kind === 'started') taken.push(found.run);
  };
  const runOf = (round: number): RunIdentity => taken[round % taken.length]!;
  return [
    {
      name: 'claim of 20 schedules',
      prepare: () => makeDue(db, 20, '0 * * * *', '1 hour'),
      work: () => schedules.claimDue(decideClaim, 20),
    },
    { name: 'claim when nothing is due', work: () => schedules.claimDue(decideClaim, 20) },
    { name: 'first ticks of schedules', work: () => schedules.setFirstTicks(scheduleTiming.next) },
    { name: 'schedules for the timers', work: () => schedules.listUpcoming(1000) },
    { name: 'take', work: take },
    { name: 'heartbeat', work: (round) => executions.heartbeat(runOf(round), zeroCounters()) },
    {
      name: 'end of a run',
      work: (round) => executions.finish(runOf(round), ENDED),
      rounds: 20,
    },
    { name: 'queue depth', work: () => executions.countQueued() },
  ];
}

const ENDED: RunOutcome = {
  status: 'completed',
  counters: zeroCounters(),
  ...{ fromCommit: null, toCommit: null, errorCode: null, errorMessage: null },
};

function choreCases(db: Database): Case[] {
  const executions = createExecutionStore(db);
  const repositories = createRepositoryStore(db);
  const pushes = new PushStore(db);
  const week = 7 * 86_400;
  return [
    {
      name: 'reaper',
      work: () => executions.recoverInterrupted({ lost: { staleAfterSeconds: 3600 }, maxInterruptions: 1 }),
    },
    { name: 'runs after pushes', work: () => pushes.queueFollowUps() },
    { name: 'suspect indexes', work: () => repositories.listSuspect() },
    { name: 'repositories to purge', work: () => repositories.listUnpurged() },
    { name: 'drifted indexes', work: () => repositories.listDrifted() },
    {
      name: 'indexes to verify',
      work: () => repositories.listUnverified({ afterSeconds: week, roundSeconds: 300 }),
    },
    { name: 'metrics: verification', work: () => repositories.verificationState(week) },
    { name: 'metrics: lost indexes', work: () => repositories.countLost() },
    { name: 'metrics: stalest repositories', work: () => repositories.listStalest(100) },
  ];
}

async function readCases(db: Database): Promise<Case[]> {
  const executions = createExecutionStore(db);
  const history = new PostgresHistory(db);
  const owners = await db.query<{ id: string; repositoryId: string }>(
    'SELECT id, repository_id FROM schedule_sessions ORDER BY id LIMIT 40',
  );
  const [newest] = await db.query<{ id: string; podName: string; at: Date }>(
    `SELECT id, pod_name, queued_at AS at FROM schedule_execution_logs WHERE completed_at IS NOT NULL AND pod_name IS NOT NULL
      AND pod_name <> 'repotide-bench' ORDER BY queued_at DESC LIMIT 1`,
  );
  const { podName, at } = newest!;
  const to = (round: number): Date => new Date(at.getTime() - round * 61_000);
  const range = (round: number, days: number) => ({
    from: new Date(to(round).getTime() - days * DAY_MS),
    to: to(round),
  });
  const ownerOf = (round: number) => owners[round % owners.length]!;
  const list = (
    name: string,
    filterOf: (round: number) => ExecutionFilter,
    sort: '-queued_at' | '-started_at' = '-queued_at',
  ): Case => ({
    name: `list: ${name}`,
    work: (round) => executions.list(filterOf(round), { limit: 50, offset: 0, sort }),
  });
  return [
    { name: 'one execution by id', work: () => executions.find(newest!.id) },
    list('no filter', () => ({})),
    list('newest start first', () => ({}), '-started_at'),
    list('one repository', (round) => ({ repositoryId: ownerOf(round).repositoryId })),
    list('one schedule', (round) => ({ scheduleId: ownerOf(round).id })),
    list('status failed', () => ({ status: ['failed'] })),
    list('status failed or partial', () => ({ status: ['failed', 'partial'] })),
    list('status running', () => ({ status: ['running'] })),
    list('trigger manual', () => ({ trigger: 'manual' })),
    list('one pod', () => ({ podName })),
    list('a day', (round) => range(round, 1)),
    list('a month, failed', (round) => ({ ...range(round, 30), status: ['failed'] })),
    list('one repository, failed', (round) => ({
      repositoryId: ownerOf(round).repositoryId,
      status: ['failed'],
    })),
    { name: 'history: summary of 7 days', work: (round) => history.summary(range(round, 7)) },
    { name: 'history: summary of 30 days', work: (round) => history.summary(range(round, 30)) },
    {
      name: 'history: timeline of 30 days',
      work: (round) => history.timeline(range(round, 30), 'day', 'Europe/Berlin'),
    },
    {
      name: 'history: failures of 30 days',
      work: (round) => history.failures(range(round, 30), 'Europe/Berlin', 20),
    },
    {
      name: 'history: summary of a repository, 30 days',
      work: (round) => history.summary({ ...range(round, 30), repositoryId: ownerOf(round).repositoryId }),
    },
  ];
}

/** Ends of many runs, and retention: their time depends on how much there is to do. */
function endCases(db: Database): Case[] {
  const history = new PostgresHistory(db);
  return [
    ...[1000, 10_000].map((count): Case => ({
      name: `${count} ends in one transaction`,
      prepare: () => addQueued(db, count),
      work: () =>
        db.query(
          `UPDATE schedule_execution_logs SET status = 'cancelled', completed_at = clock_timestamp()
              WHERE completed_at IS NULL AND status = 'queued' AND handler = 'bench'`,
        ),
      rounds: 1,
      isBounded: false,
    })),
    {
      name: 'retention, one call',
      work: () => history.retain({ days: 335, minRows: 10 }),
      rounds: 2,
      isBounded: false,
    },
  ];
}

async function addQueued(db: Database, count: number): Promise<void> {
  await db.query(
    `INSERT INTO schedule_execution_logs (repository_id, trigger, status, handler)
      SELECT (SELECT id FROM repositories LIMIT 1), 'manual', 'queued', 'bench' FROM generate_series(1, $1::int)`,
    [count],
  );
}

/** Thirty days of minute ticks on a hundred schedules. */
async function measureBacklog(db: Database): Promise<Measurement[]> {
  const schedules = createScheduleStore(db);
  await makeDue(db, BACKLOGGED, '* * * * *', '30 days');
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  const begun = performance.now();
  const claimed = new Set<string>();
  for (let isDone = false; !isDone;) {
    const claims = await schedules.claimDue(decideClaim, 20);
    for (const { schedule } of claims) claimed.add(schedule.id);
    isDone = claims.length === 0 || claimed.size === BACKLOGGED;
  }
  const took = performance.now() - begun;
  loop.disable();
  if (claimed.size !== BACKLOGGED) throw new Error(`${claimed.size} of ${BACKLOGGED} backlogs were claimed.`);
  const delay = loop.max / 1e6;
  return [
    { name: 'claim of 100 backlogs of 30 days', isBounded: false, ...summaryOf([took]) },
    { name: 'longest delay of the event loop meanwhile', isBounded: false, ...summaryOf([delay]) },
  ];
}
