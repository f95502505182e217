import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateRepository, startGitLabStandIn, type GitLabStandIn } from '@devkit';
import { HOSTILE_FILES, HOSTILE_RULES, hostileRepository } from '../support/hostile-repository.js';
import { createInstallation, type Installation, type Service } from '../support/installation.js';
import { isLongForm } from '../support/long-form.js';
import { metricOf } from '../support/scrape.js';
import { execution, executionThat, isOver, register, startSync } from '../support/service-resources.js';
import { until } from '../support/command-line.js';

const SIZE = isLongForm ? { files: 100_000, textBytes: 1_000_000 } : { files: 1_500, textBytes: 40_000 };

let directory: string;
let gitlab: GitLabStandIn;
let installation: Installation;
let service: Service;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'repotide-hostile-'));
  const hostile = await hostileRepository(join(directory, 'hostile'), SIZE);
  const normal = await generateRepository(join(directory, 'normal'), {
    files: 60,
    totalBytes: 300_000,
    seed: 3,
  });
  gitlab = await startGitLabStandIn();
  const defaultBranch = 'main';
  await gitlab.addProject({ path: 'team/hostile', gitDir: hostile.directory, defaultBranch });
  await gitlab.addProject({ path: 'team/normal', gitDir: normal.repository.directory, defaultBranch });
  installation = await createInstallation({
    GITLAB_URL: gitlab.url,
    GITLAB_TOKEN: gitlab.token,
    GITLAB_REQUESTS_PER_MINUTE: '0',
  });
  service = await installation.serve();
});

afterAll(async () => {
  await installation.remove();
  await gitlab.stop();
  await rm(directory, { recursive: true, force: true });
});

interface Warned {
  warnings: { path: string; line: number | null; message: string }[];
}
interface Files {
  items: { path: string; status: string; skip_reason: string | null }[];
  total: number;
}

describe('a hostile repository', () => {
  const settings = { max_file_bytes: 5_000_000 };
  let hostileId: string;

  it('keeps neither health checks nor the run of another repository waiting', async () => {
    const hostile = await register(service, 'team/hostile', settings);
    const normal = await register(service, 'team/normal');
    hostileId = hostile.id;
    const hostileRun = await startSync(service, hostile);
    const normalRun = await startSync(service, normal);
    let checks = 0;
    await until('both runs to end', async () => {
      const { status } = await fetch(`${service.url}/health/live`);
      expect(status).toBe(200);
      checks++;
      const runs = await Promise.all([hostileRun, normalRun].map((id) => execution(service, id)));
      return runs.every(isOver);
    });
    expect(checks).toBeGreaterThan(1);
    expect(await execution(service, normalRun)).toMatchObject({ status: 'completed', error_message: null });
    expect(await execution(service, hostileRun)).toMatchObject({ status: 'completed', error_message: null });
    expect(await metricOf(service, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  });

  it('has each rule that cannot be used among its warnings', async () => {
    const { warnings } = await service.get<Warned>(`/api/v1/repositories/${hostileId}`);
    const named = warnings.map(({ path, line }) => [path, line]);
    expect(named).toEqual(expect.arrayContaining(HOSTILE_RULES.map((rule) => [...rule])));
    expect(named).toHaveLength(HOSTILE_RULES.length);
  });

  it('has each file that is not indexed among its skipped files, and all others indexed', async () => {
    const files = (query: string) =>
      service.get<Files>(`/api/v1/repositories/${hostileId}/files?limit=200&${query}`);
    const { items } = await files('status=skipped');
    const skipped = Object.fromEntries(items.map((row) => [row.path, row.skip_reason]));
    expect(skipped).toMatchObject(HOSTILE_FILES);
    expect(await files('status=failed')).toEqual({ items: [], total: 0 });
    for (const path of ['src/ordinary.ts', 'deep/', 'names/', 'data/line.md', 'secrets/text0.md']) {
      const { items: found } = await files(`path_prefix=${encodeURIComponent(path)}`);
      expect(found.map(({ status }) => status)).toEqual(found.map(() => 'indexed'));
      expect(found.length).toBeGreaterThan(0);
    }
  });

  it('does not keep the process from ending on SIGTERM in the middle of its run', async () => {
    const started = await service.post<{ execution_id: string }>(`/api/v1/repositories/${hostileId}/sync`, {
      full: true,
    });
    await executionThat(service, started.execution_id, ({ status }) => status === 'running');
    await until('files to be read', async () => {
      const { files_processed } = await service.get<{ files_processed: number }>(
        `/api/v1/executions/${started.execution_id}`,
      );
      return files_processed > 0;
    });
    expect(await service.stop()).toBe(0);
  });
});
