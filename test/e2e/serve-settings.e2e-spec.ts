import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectDatabase, type Database } from '@adapters/postgres';
import { createGitRepository, startGitLabStandIn, type GitLabStandIn } from '@devkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/command-line.js';
import { createInstallation, type Installation, type Service } from '../support/installation.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import {
  execution,
  register,
  schedule,
  startSync,
  ticks,
  type RepositoryRow,
} from '../support/service-resources.js';
import { silentLogger } from '../support/silent-logger.js';

/** Two pods without Redis on one database: they share only its rows and locks. */
let directory: string;
let testDatabase: TestDatabase;
let database: Database;
let gitlab: GitLabStandIn;
let installation: Installation;
let [one, two]: Service[] = [];
let repository: RepositoryRow;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'repotide-settings-'));
  const git = await createGitRepository(join(directory, 'git'));
  await git.write('a.txt', 'a').commit('first');
  gitlab = await startGitLabStandIn();
  await gitlab.addProject({ path: 'group/project', gitDir: git.directory });
  testDatabase = await createTestDatabase();
  database = await connectDatabase({ url: testDatabase.url, poolSize: 2, logger: silentLogger });
  installation = await createInstallation({
    DATABASE_URL: testDatabase.url,
    GITLAB_URL: gitlab.url,
    GITLAB_TOKEN: gitlab.token,
    SCHEDULE_POLL_SECONDS: '1',
  });
  [one, two] = [
    await installation.serve({ POD_NAME: 'pod-1' }),
    await installation.serve({ POD_NAME: 'pod-2' }),
  ];
  repository = await register(pod(one), 'group/project');
});
afterEach(() => gitlab.faults.clear());
afterAll(async () => {
  await installation.remove();
  await gitlab.stop();
  await database.close();
  await testDatabase.drop();
  await rm(directory, { recursive: true, force: true });
});

function pod(service: Service | undefined): Service {
  if (service === undefined) throw new Error('the pod did not start');
  return service;
}

const change = (service: Service | undefined, body: object) =>
  pod(service).call('PATCH', '/api/v1/settings', body);

describe('runtime settings', () => {
  it('max_run_seconds, set through one pod, ends a run of either; without Redis the lease is a Postgres lock', async () => {
    expect((await change(one, { max_run_seconds: 2 })).status).toBe(200);
    gitlab.faults.add({ url: /repository/, effect: { kind: 'stall' } });
    // Both pods take from one queue, so that either may hold the lease.
    const id = await startSync(pod(two), repository);
    await until('the lease', async () => {
      const held = await database.query(
        `SELECT l.execution_id FROM repository_leases l JOIN pg_locks k ON k.pid = l.backend_pid
          WHERE l.repository_id = $1 AND l.execution_id = $2 AND k.locktype = 'advisory' AND k.granted`,
        [repository.id, id],
      );
      return held.length > 0;
    });
    await until(
      'the end by the time limit',
      async () => (await execution(pod(one), id)).error_code === 'run_timed_out',
    );
    await change(one, { max_run_seconds: null });
    await pod(one).call('POST', `/api/v1/executions/${id}/cancel`);
  });

  it('scheduling_paused, set through one pod, stops both; due ticks run after it is lifted', async () => {
    await schedule(pod(one), repository.id, { cron_expression: '0 0 1 1 *' });
    await change(one, { scheduling_paused: true });
    await database.query(
      `UPDATE schedule_sessions SET next_run_at = date_trunc('second', clock_timestamp())`,
    );
    // Long enough for three polls of each pod.
    await sleep(3_500);
    expect(await ticks(pod(two), repository)).toEqual([]);
    await change(two, { scheduling_paused: false });
    await until('the run', async () => (await ticks(pod(one), repository))[0]?.status === 'completed');
    expect(await ticks(pod(one), repository)).toHaveLength(1);
  });
});
