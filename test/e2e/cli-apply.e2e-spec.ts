import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createIndexWorld, PROJECT, type IndexWorld } from '../support/index-world.js';
import { type Service } from '../support/installation.js';

const SECRET = 'admin-token-of-the-tests';

let world: IndexWorld;
let service: Service;
let folder: string;

beforeAll(async () => {
  world = await createIndexWorld({ REPOTIDE_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') });
  world.git.write('a.ts', '// a\n');
  await world.git.commit('A file');
  await world.git.branch('side');
  service = await world.installation.serve();
  folder = join(world.installation.dataDir, 'declared');
  await mkdir(folder, { recursive: true });
});
afterAll(() => world?.remove());

async function apply(...options: string[]) {
  const env = {
    DATABASE_URL: '',
    REPOTIDE_URL: service.url,
    REPOTIDE_TOKEN: SECRET,
    TOKEN_OF_TEAM: world.gitlab.token,
  };
  const command = world.installation.run(['apply', '-f', folder, ...options], env);
  const code = await command.ended;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}

const declare = (name: string, text: string) => writeFile(join(folder, name), text);
const repositories = async () =>
  (
    await service.get<{ items: { id: string; branch: string; max_file_bytes: number }[] }>(
      '/api/v1/repositories',
    )
  ).items;
const schedules = async () =>
  (await service.get<{ items: { id: string; cron_expression: string }[] }>('/api/v1/schedules')).items;

const TEAM = `
credentials:
  - name: team
    base_url: GITLAB
    token_env: TOKEN_OF_TEAM
repositories:
  - project_path: ${PROJECT}
    branch: main
    credential: team
    max_file_bytes: 5000
    schedules:
      - cron_expression: 0 3 1 1 *
        timezone: Europe/Berlin
`;
const SIDE = `
repositories:
  - project_path: ${PROJECT}
    branch: side
discoveries:
  - name: all of team
    group_path: team
    is_active: false
    schedule:
      cron_expression: H H * * *
`;

describe('repotide apply', () => {
  it('shows the difference with --dry-run and exit code 5, and changes nothing', async () => {
    await declare('team.yaml', TEAM.replace('GITLAB', world.gitlab.url));
    await declare('side.yml', SIDE);
    await declare('notes.txt', 'no declaration');
    const { code, stdout, stderr } = await apply('--dry-run');
    expect([code, stderr]).toEqual([5, '']);
    expect(stdout).toContain(`+ credential team\n`);
    expect(stdout).toContain(`+ repository ${PROJECT}@side\n`);
    expect(stdout).toContain(`+ schedule ${PROJECT}@main#1\n`);
    expect(stdout).toContain('5 to create, 0 to change, 0 to delete, 0 unchanged');
    expect(await repositories()).toEqual([]);
  });

  it('creates what is declared, marks it in the API, and changes nothing the second time', async () => {
    const first = await apply();
    expect(first).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('5 created') });
    const [main] = (await repositories()).filter(({ branch }) => branch === 'main');
    expect(main).toMatchObject({ max_file_bytes: 5000, credential_id: expect.any(String) });
    expect(await schedules()).toMatchObject([{ cron_expression: '0 3 1 1 *', timezone: 'Europe/Berlin' }]);
    const marks = await service.get<object>(`/api/v1/declarations?resource_id=${main!.id}`);
    expect(marks).toMatchObject({
      items: [
        {
          declaration: 'default',
          kind: 'repository',
          key: `${PROJECT}@main`,
          applied_by: 'REPOTIDE_ADMIN_TOKEN',
        },
      ],
    });
    const before = await service.get<{ total: number }>('/api/v1/audit');
    expect(await apply()).toEqual({
      code: 0,
      stderr: '',
      stdout: 'Nothing to change: 5 resource(s) are as declared.\n',
    });
    expect(await apply('--dry-run')).toMatchObject({ code: 0 });
    expect(await service.get('/api/v1/audit')).toMatchObject({ total: before.total });
  });

  it('reports an edit by hand as drift, and undoes it', async () => {
    const [main] = (await repositories()).filter(({ branch }) => branch === 'main');
    await service.call('PATCH', `/api/v1/repositories/${main!.id}`, { max_file_bytes: 1 });
    const drift = await apply('--dry-run');
    expect(drift).toMatchObject({
      code: 5,
      stdout: expect.stringContaining('(changed by hand since it was applied)'),
    });
    expect(drift.stdout).toContain('max_file_bytes: 1 -> 5000');
    expect(await apply()).toMatchObject({ code: 0, stdout: expect.stringContaining('1 changed') });
    expect((await repositories()).find(({ id }) => id === main!.id)).toMatchObject({ max_file_bytes: 5000 });
  });

  it('changes the schedule whose expression changed in the file, without a word of drift', async () => {
    const [former] = await schedules();
    await declare('team.yaml', TEAM.replace('GITLAB', world.gitlab.url).replace('0 3 1 1 *', '0 4 1 1 *'));
    const { code, stdout } = await apply();
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('by hand')]);
    expect(await schedules()).toMatchObject([{ id: former!.id, cron_expression: '0 4 1 1 *' }]);
  });

  it('deletes with --prune what a deleted file declared, and nothing that was made by hand', async () => {
    const own = await service.post<{ id: string }>('/api/v1/schedules', {
      repository_id: (await repositories())[0]!.id,
      cron_expression: '0 5 1 1 *',
    });
    await rm(join(folder, 'side.yml'));
    const kept = await apply();
    expect(kept).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`? repository ${PROJECT}@side: no longer declared`),
    });
    expect(await repositories()).toHaveLength(2);
    const pruned = await apply('--prune');
    expect(pruned).toMatchObject({ code: 0, stdout: expect.stringContaining('2 deleted') });
    expect(await repositories()).toMatchObject([{ branch: 'main' }]);
    expect((await schedules()).map(({ id }) => id)).toContain(own.id);
    expect(await apply('--prune')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Nothing to change'),
    });
  });

  it('names file, line and field of every error, and changes nothing', async () => {
    await declare(
      'wrong.yaml',
      `repositories:\n  - project_path: team/x\n    chunk_size: many\n    tokn: x\n`,
    );
    await declare('torn.yaml', 'repositories: [\n');
    const { code, stdout, stderr } = await apply();
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`${join(folder, 'wrong.yaml')}:3: repositories[0].chunk_size: `);
    expect(stderr).toContain(`${join(folder, 'wrong.yaml')}:4: repositories[0].tokn is not a field here.`);
    expect(stderr).toMatch(/torn\.yaml:\d+: /);
    await rm(join(folder, 'torn.yaml'));
    await declare('wrong.yaml', `repositories:\n  - project_path: team/none\n`);
    const refused = await apply();
    expect(refused).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`${join(folder, 'wrong.yaml')}:2: `),
    });
    await rm(join(folder, 'wrong.yaml'));
    expect(await apply()).toMatchObject({ code: 0 });
  });
});
