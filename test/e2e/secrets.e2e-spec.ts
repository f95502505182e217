import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGitRepository, startGitLabStandIn, type GitLabStandIn } from '@devkit';
import { createInstallation, type Installation, type Service } from '../support/installation.js';
import { plantedSecrets } from '../support/planted-secrets.js';
import { executionThat, isOver, startSync } from '../support/service-resources.js';
import { storedTexts } from '../support/stored-texts.js';

const PLANTED = plantedSecrets(7);

let directory: string;
let gitlab: GitLabStandIn;
let installation: Installation;
let service: Service;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'repotide-secrets-'));
  const git = await createGitRepository(join(directory, 'git'), { bare: true });
  for (const { path, text } of PLANTED) git.write(path, text);
  await git.commit();
  gitlab = await startGitLabStandIn();
  await gitlab.addProject({ path: 'team/leaky', gitDir: git.directory, defaultBranch: 'main' });
  installation = await createInstallation({ GITLAB_URL: gitlab.url, GITLAB_TOKEN: gitlab.token });
  service = await installation.serve({ LOG_LEVEL: 'debug' });
});

afterAll(async () => {
  await installation.remove();
  await gitlab.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Kinds of secrets of which the text contains a part. */
function leakedIn(text: string): string[] {
  const piecesOf = (secret: string) =>
    secret.split(/\s+|\\n/).filter((piece) => piece.length >= 8 && !piece.includes('-----'));
  return PLANTED.filter(({ secret }) => piecesOf(secret).some((piece) => text.includes(piece))).map(
    ({ kind }) => kind,
  );
}

describe('secrets in a repository', () => {
  it('appear in no API response, no metric, no log line and no row', async () => {
    const { id } = await service.post<{ id: string }>('/api/v1/repositories', { project_path: 'team/leaky' });
    const run = await startSync(service, { id });
    const { status } = await executionThat(service, run, isOver);
    expect(status).toBe('completed');

    const leaky = await service.get<{ total: number }>(`/api/v1/repositories/${id}/files?has_secrets=true`);
    // Two files are excluded by their names.
    expect(leaky.total).toBe(PLANTED.length - 2);
    const answers: unknown[] = [
      await service.get(`/api/v1/repositories/${id}/files?limit=200`),
      await service.get(`/api/v1/executions/${run}`),
      await service.get('/api/v1/progress'),
      await service.get('/api/v1/history/summary'),
    ];
    // A search does not echo its query, so a caller who knows a secret does not learn where it is used.
    for (const { kind } of PLANTED)
      answers.push(await service.post('/api/v1/search', { query: kind, limit: 50 }));
    expect(JSON.stringify(answers)).toContain('[redacted:gitlab-token]');
    expect(leakedIn(JSON.stringify(answers))).toEqual([]);

    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics.length).toBeGreaterThan(1000);
    expect(leakedIn(metrics)).toEqual([]);

    expect(await service.stop()).toBe(0);
    const log = service.command.stdout() + service.command.stderr();
    expect(log).toContain('run ended');
    expect(leakedIn(log)).toEqual([]);
    const stored = await installation.withDatabase(storedTexts);
    expect(stored).toContain('src/gitlab.py');
    expect(leakedIn(stored)).toEqual([]);
  });
});
