import {
  connectDatabase,
  createRepositoryStore,
  createScheduleStore,
  type Database,
} from '@adapters/postgres';
import { type RepositoryStore, type Schedule, type ScheduleStore } from '@core/domain';
import { decideClaim, scheduleTiming, spreadCron } from '@core/schedules';
import { type Random } from '@devkit';
import { createTestDatabase } from '../../../support/postgres.js';
import { onServer } from '../../../support/postgres-url.js';
import { newRepository } from '../../../support/registration.js';
import { silentLogger } from '../../../support/silent-logger.js';
import { randomCron, ZONES } from './random-cron.js';

const PODS = 4;
const CLAIMS_PER_BATCH = 20;
/** Of each kind of edit, relative to the others. */
const EDITS = ['cron', 'cron', 'zone', 'pause', 'resume', 'resume', 'grace', 'delete', 'purge'] as const;

/** From this instant on, a schedule has this expression in this zone; null: it is paused or deleted. */
export interface Edit {
  at: number;
  scheduleId: string;
  timing: { expression: string; timezone: string } | null;
}

/**
 * Puts a clock that the test sets in the place of `clock_timestamp()`: the schema is searched before the built-in
 * functions. Everything else is the product on a real server.
 */
const VIRTUAL_CLOCK = `
  CREATE SCHEMA virtual;
  CREATE TABLE virtual.clock (at timestamptz NOT NULL);
  INSERT INTO virtual.clock VALUES (to_timestamp(0));
  CREATE FUNCTION virtual.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT at FROM virtual.clock'`;

/** Pods that claim, users who edit and workers that run, all by the clock of the test. */
export class World {
  readonly edits: Edit[] = [];
  abortedClaims = 0;
  private readonly live = new Map<string, Schedule>();

  private constructor(
    private readonly pods: readonly { db: Database; schedules: ScheduleStore }[],
    private readonly repositories: RepositoryStore,
    /** Has the server's own clock, and is not terminated. */
    readonly observer: Database,
    private readonly random: Random,
    private readonly drop: () => Promise<void>,
  ) {}

  static async open(random: Random): Promise<World> {
    const database = await createTestDatabase();
    const { url } = database;
    const connect = (poolSize: number): Promise<Database> =>
      connectDatabase({ url, poolSize, logger: silentLogger });
    const observer = await connect(2);
    await onServer(url, async (client) => {
      await client.query(VIRTUAL_CLOCK);
      const name = client.escapeIdentifier(decodeURIComponent(new URL(url).pathname.slice(1)));
      await client.query(`ALTER DATABASE ${name} SET search_path = virtual, public, pg_catalog`);
    });
    const pods = await Promise.all(
      Array.from({ length: PODS }, async () => {
        const db = await connect(2);
        return { db, schedules: createScheduleStore(db) };
      }),
    );
    const drop = async (): Promise<void> => {
      await Promise.all([observer, ...pods.map(({ db }) => db)].map((db) => db.close()));
      await database.drop();
    };
    return new World(pods, createRepositoryStore(pods[0]!.db), observer, random, drop);
  }

  close(): Promise<void> {
    return this.drop();
  }

  async setClock(at: number): Promise<void> {
    await this.observer.query('UPDATE virtual.clock SET at = $1', [new Date(at)]);
  }

  /** Adds a repository with one to three schedules, which often coincide. */
  async addRepository(at: number): Promise<void> {
    const { id } = await this.repositories.create(newRepository({ collectionName: 'code' }));
    const count = 1 + this.random.below(3);
    for (let number = 0; number < count; number++) {
      const schedule = {
        repositoryId: id,
        cronExpression: randomCron(this.random),
        timezone: this.random.pick(ZONES),
        isActive: true,
        misfireGraceSeconds: 300,
        catchUp: this.random.pick(['latest', 'none'] as const),
      };
      const { schedules } = this.random.pick(this.pods);
      this.note(await schedules.create(schedule, (now) => nextOf(schedule, now)), at);
    }
  }

  /** Every pod claims until it finds nothing due. A failed claim ends its turn. */
  async claim(): Promise<void> {
    await Promise.all(
      this.pods.map(async ({ schedules }) => {
        try {
          while ((await schedules.claimDue(decideClaim, CLAIMS_PER_BATCH)).length > 0);
        } catch {
          // The next round claims what this one left.
          this.abortedClaims += 1;
        }
      }),
    );
  }

  /** Ends every session of the pods, whatever it does now, and waits until the server has ended it. */
  async terminateSessions(): Promise<void> {
    await this.observer.query(
      `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database()
        AND backend_type = 'client backend' AND pid NOT IN (
          SELECT pid FROM pg_stat_activity WHERE query LIKE '%pg_terminate_backend%')`,
    );
  }

  /** Resolves when no pool holds an ended session: it is found only when it is used. */
  async reconnect(): Promise<void> {
    const isLive = ({ db }: { db: Database }): Promise<boolean> =>
      Promise.all([db.ping(), db.ping()]).then(
        () => true,
        () => false,
      );
    for (const pod of this.pods) while (!(await isLive(pod)));
  }

  /** Users edit at most so many schedules through random pods. The clock stands still, so that what is due is certain. */
  async edit(at: number, most: number): Promise<void> {
    const live = [...this.live.values()];
    const chosen = Array.from({ length: 1 + this.random.below(most) }, () => this.random.pick(live));
    // A repository is edited once, because its deletion would race with the other edits.
    const once = new Map(chosen.map((schedule) => [schedule.repositoryId, schedule])).values();
    await Promise.all(
      [...once].map((schedule) => this.editOne(schedule, at, this.random.pick(this.pods).schedules)),
    );
  }

  private async editOne(
    { id, repositoryId, misfireGraceSeconds }: Schedule,
    at: number,
    schedules: ScheduleStore,
  ): Promise<void> {
    const kind = this.random.pick(EDITS);
    if (kind === 'purge') {
      await this.repositories.softDelete(repositoryId);
      for (const schedule of this.live.values())
        if (schedule.repositoryId === repositoryId) this.forget(schedule.id, at);
      return;
    }
    if (kind === 'delete') {
      await schedules.softDelete(id, scheduleTiming);
      return this.forget(id, at);
    }
    const changes = {
      cron: { cronExpression: randomCron(this.random) },
      zone: { timezone: this.random.pick(ZONES) },
      pause: { isActive: false },
      resume: { isActive: true },
      grace: { misfireGraceSeconds: misfireGraceSeconds + 1 },
    }[kind];
    this.note(await schedules.update(id, changes, scheduleTiming), at);
  }

  private note(schedule: Schedule, at: number): void {
    this.live.set(schedule.id, schedule);
    const { id, repositoryId, cronExpression, timezone, isActive } = schedule;
    const expression = spreadCron(cronExpression, repositoryId);
    this.edits.push({ at, scheduleId: id, timing: isActive ? { expression, timezone } : null });
  }

  private forget(scheduleId: string, at: number): void {
    this.live.delete(scheduleId);
    this.edits.push({ at, scheduleId, timing: null });
  }

  get repositoryCount(): number {
    return new Set([...this.live.values()].map(({ repositoryId }) => repositoryId)).size;
  }

  /** Ends this share of the runs, and starts this share of the queued ones. */
  async work(share: number): Promise<void> {
    const { db } = this.pods[0]!;
    await db.query(
      `UPDATE schedule_execution_logs SET status = 'completed', completed_at = clock_timestamp()
        WHERE status = 'running' AND random() < $1`,
      [share],
    );
    await db.query(
      `UPDATE schedule_execution_logs SET status = 'running', started_at = clock_timestamp(),
          fence = nextval('execution_fence_seq')
        WHERE id IN (SELECT DISTINCT ON (e.repository_id) e.id FROM schedule_execution_logs e
          WHERE e.status = 'queued' AND random() < $1 AND NOT EXISTS (SELECT 1 FROM schedule_execution_logs o
            WHERE o.repository_id = e.repository_id AND o.status = 'running') ORDER BY e.repository_id, e.id)`,
      [share],
    );
  }
}

function nextOf(schedule: { cronExpression: string; timezone: string; repositoryId: string }, now: Date) {
  return scheduleTiming.next({ ...schedule, isActive: true } as Schedule, now);
}
