import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGitRepository, startGitLabStandIn, type GitLabStandIn } from '@devkit';
import { until } from '../support/command-line.js';
import { createInstallation, type Installation, type Service } from '../support/installation.js';
import { executionsOf, register, schedule, ticks, type RepositoryRow } from '../support/service-resources.js';

const MINUTE_MS = 60_000;
/** Longer than the test, so that only timers and edits can wake the scheduler. */
const POLL_SECONDS = '300';
const NEVER_WITHIN_THE_TEST = '0 0 1 1 *';

const PROJECTS = ['plain', 'paused', 'resumed', 'deleted', 'away', 'towards', 'late', 'missed'] as const;

let directory: string;
let gitlab: GitLabStandIn;
let installation: Installation;
let service: Service;
let repositories: Record<(typeof PROJECTS)[number], RepositoryRow>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'repotide-schedule-'));
  const git = await createGitRepository(join(directory, 'git'));
  git.write('src/main.ts', 'export const answer = 42;\n');
  await git.commit('A file');
  gitlab = await startGitLabStandIn();
  installation = await createInstallation({
    GITLAB_URL: gitlab.url,
    GITLAB_TOKEN: gitlab.token,
    SCHEDULE_POLL_SECONDS: POLL_SECONDS,
  });
  service = await installation.serve();
  const registered: Partial<typeof repositories> = {};
  for (const name of PROJECTS) {
    await gitlab.addProject({ path: `group/${name}`, gitDir: git.directory, defaultBranch: 'main' });
    registered[name] = await register(service, `group/${name}`);
  }
  repositories = registered as typeof repositories;
});

afterAll(async () => {
  await installation.remove();
  await gitlab.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Waits until the next tick is far enough away to finish the preparation before it. */
async function secondsToSpare(seconds: number): Promise<void> {
  await until('the next minute', () => MINUTE_MS - (Date.now() % MINUTE_MS) > seconds * 1000);
}

describe('a service with schedules', () => {
  it('runs a tick at its minute, and none of a schedule that was paused, deleted or rescheduled', async () => {
    await secondsToSpare(15);
    const { plain, paused, resumed, deleted, away, towards } = repositories;
    const { next_run_at: tick } = await schedule(service, plain.id);
    const one = await schedule(service, paused.id);
    await service.post(`/api/v1/schedules/${one.id}/pause`);
    const two = await schedule(service, resumed.id, { is_active: false });
    await service.post(`/api/v1/schedules/${two.id}/resume`);
    const three = await schedule(service, deleted.id);
    expect(await service.call('DELETE', `/api/v1/schedules/${three.id}`)).toMatchObject({ status: 204 });
    const four = await schedule(service, away.id);
    await service.call('PATCH', `/api/v1/schedules/${four.id}`, { cron_expression: NEVER_WITHIN_THE_TEST });
    const five = await schedule(service, towards.id, { cron_expression: NEVER_WITHIN_THE_TEST });
    await service.call('PATCH', `/api/v1/schedules/${five.id}`, { cron_expression: '* * * * *' });

    const isDone = async (repository: RepositoryRow) =>
      (await ticks(service, repository)).some(({ status }) => status === 'completed');
    for (const repository of [plain, resumed, towards])
      await until(`the tick of ${tick}`, () => isDone(repository));

    for (const repository of [plain, resumed, towards]) {
      const rows = await ticks(service, repository);
      expect(rows).toMatchObject([{ scheduled_for: tick, status: 'completed', attempt: 1, files_added: 1 }]);
      expect(Date.parse(rows[0]!.started_at!)).toBeGreaterThanOrEqual(Date.parse(tick!));
    }
    for (const repository of [paused, deleted, away]) expect(await ticks(service, repository)).toEqual([]);
    expect((await service.call('GET', `/api/v1/schedules/${three.id}`)).status).toBe(404);
  });

  it('runs once after a stop of three minutes, while every tick of the stop gets its row', async () => {
    await secondsToSpare(10);
    const stoppedAt = new Date(Math.floor(Date.now() / MINUTE_MS - 3) * MINUTE_MS);
    const late = await schedule(service, repositories.late.id);
    const hourly = `${stoppedAt.getUTCMinutes()} * * * *`;
    const short = { cron_expression: hourly, misfire_grace_seconds: 60 };
    const missed = await schedule(service, repositories.missed.id, short);

    expect(await service.stop()).toBe(0);
    await installation.withDatabase((database) =>
      database.query('UPDATE schedule_sessions SET next_run_at = $1 WHERE id = ANY($2::uuid[])', [
        stoppedAt,
        [late.id, missed.id],
      ]),
    );
    service = await installation.serve();
    const coalesced = async () =>
      (await ticks(service, repositories.late)).filter(
        ({ status, coalesced_count }) => status === 'completed' && coalesced_count > 0,
      );
    await until('the coalesced run', async () => (await coalesced()).length > 0);

    const [run, ...others] = await coalesced();
    expect(others).toEqual([]);
    const rows = await ticks(service, repositories.late);
    const before = rows.filter(({ scheduled_for }) => scheduled_for! < run!.scheduled_for!);
    expect(before.length).toBeGreaterThanOrEqual(3);
    expect(run!.coalesced_count).toBe(before.length);
    for (const [position, row] of before.entries()) {
      const scheduled_for = new Date(stoppedAt.getTime() + position * MINUTE_MS).toISOString();
      expect(row).toMatchObject({ scheduled_for, status: 'skipped', error_code: 'coalesced' });
    }
    expect(run!.scheduled_for).toBe(new Date(stoppedAt.getTime() + before.length * MINUTE_MS).toISOString());
    const ofMissed = () => executionsOf(service, repositories.missed);
    await until('the catch-up run', async () =>
      (await ofMissed()).some(({ trigger, status }) => trigger === 'recovery' && status === 'completed'),
    );
    expect(await ofMissed()).toMatchObject([
      { scheduled_for: stoppedAt.toISOString(), status: 'missed', error_code: 'missed', started_at: null },
      { scheduled_for: null, trigger: 'recovery', status: 'completed', schedule_session_id: missed.id },
    ]);
  });
});
