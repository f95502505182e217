import { createDiscoveryStore } from '@adapters/postgres';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createIndexWorld, PROJECT, type IndexWorld } from '../support/index-world.js';

let world: IndexWorld;

beforeAll(async () => {
  world = await createIndexWorld();
  world.git.write('a.ts', '// a\n');
  await world.git.commit('A file');
  const settings = { name: 'all of team', baseUrl: world.gitlab.url, groupPath: 'team', graceHours: 24 };
  await createDiscoveryStore(world.database).create({
    ...{ ...settings, includeSubgroups: true, membersOnly: true, includeProjects: [], excludeProjects: [] },
    ...{ branches: [], archivedProjects: 'exclude', credentialId: null, collectionName: 'code' },
    ...{ includeGlobs: [], excludeGlobs: [], maxFileBytes: 1000, chunkSize: 400, chunkOverlap: 50 },
    ...{
      scheduleCronExpression: null,
      scheduleTimezone: 'UTC',
      cronExpression: '0 0 1 1 *',
      timezone: 'UTC',
    },
    isActive: true,
  });
});
afterAll(() => world?.remove());

async function discover(...options: string[]) {
  const command = world.installation.run(['discover', ...options]);
  const code = await command.ended;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}

const registered = () => world.database.query('SELECT project_path AS path FROM repositories');

it('repotide discover reports in a dry run, then registers, and prints rows with --json', async () => {
  const dry = await discover('all of team', '--dry-run');
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining(`add ${PROJECT} at main`) });
  expect(await registered()).toEqual([]);

  const done = await discover();
  expect(done).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('all of team: completed: 1 project(s) listed, 1 added, 0 kept'),
    stderr: expect.stringContaining(`all of team: listing ${world.gitlab.url}/team`),
  });
  expect(await registered()).toEqual([{ path: PROJECT }]);

  const { code, stdout } = await discover('all of team', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([{ status: 'completed', added: 0, kept: 1, requested_by: 'cli' }]);
});

it('repotide discover prints the reason of a failed run, and an error for an unknown discovery', async () => {
  world.gitlab.endToken('default', 'revoked');
  const failed = await discover();
  expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('source_token_rejected') });
  const unknown = await discover('nobody');
  expect(unknown).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no discovery "nobody"'),
  });
});
