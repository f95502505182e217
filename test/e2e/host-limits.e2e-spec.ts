import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createGitRepository, type GitLabStandIn, startGitLabStandIn } from '@devkit';
import { until } from '../support/command-line.js';
import { createInstallation, type Installation, type Service } from '../support/installation.js';
import {
  executionThat,
  isOver,
  register,
  startSync,
  type RepositoryRow,
} from '../support/service-resources.js';

const TWO_MINUTES = 120_000;

describe('a GitLab that answers 429', () => {
  let directory: string;
  let gitlab: GitLabStandIn;
  let installation: Installation;
  let service: Service;
  let repository: RepositoryRow;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'repotide-quiet-'));
    const git = await createGitRepository(join(directory, 'git'));
    git.write('src/main.ts', 'export const answer = 42;\n');
    await git.commit('A file');
    gitlab = await startGitLabStandIn();
    await gitlab.addProject({ path: 'team/app', gitDir: git.directory, defaultBranch: 'main' });
    installation = await createInstallation({ GITLAB_URL: gitlab.url, GITLAB_TOKEN: gitlab.token });
    service = await installation.serve();
    repository = await register(service, 'team/app');
  }, TWO_MINUTES);
  afterEach(() => gitlab.faults.clear());
  afterAll(async () => {
    await installation?.remove();
    await gitlab?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  async function waitingRun(quietSeconds: number): Promise<string> {
    const effect = { kind: 'status', status: 429, retryAfterSeconds: quietSeconds } as const;
    gitlab.faults.add({ times: 1, effect });
    const id = await startSync(service, repository);
    await until('the run to say that it waits', async () => {
      const { message } = await service.get<{ message: string }>(`/api/v1/progress/${id}`);
      return message.includes(`Waiting until`) && message.includes(new URL(gitlab.url).host);
    });
    return id;
  }

  it(
    'pauses the run, and progress, row and metrics show it',
    async () => {
      const id = await waitingRun(5);
      const row = await executionThat(service, id, isOver);
      expect(row).toMatchObject({ status: 'completed', source_retries: 1 });
      const { rate_limited_seconds: waited } = await service.get<{ rate_limited_seconds: number }>(
        `/api/v1/executions/${id}`,
      );
      expect(waited).toBeGreaterThan(0);
      const metrics = await (await fetch(`${service.url}/metrics`)).text();
      const labels = `{host="${new URL(gitlab.url).host}",budget="general"}`;
      expect(metrics).toContain(`repotide_host_rate_limited_total${labels} 1`);
      expect(metrics).toContain(`repotide_host_wait_seconds_total${labels}`);
    },
    TWO_MINUTES,
  );

  it(
    'does not prevent the cancellation of a paused run',
    async () => {
      const id = await waitingRun(110);
      await service.post(`/api/v1/executions/${id}/cancel`);
      expect(await executionThat(service, id, isOver)).toMatchObject({ status: 'cancelled' });
    },
    TWO_MINUTES,
  );
});
