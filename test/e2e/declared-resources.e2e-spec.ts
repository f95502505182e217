import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { createIndexWorld, PROJECT, type IndexWorld } from '../support/index-world.js';
import { type Service } from '../support/installation.js';

let world: IndexWorld;
let service: Service;
let file: string;

interface Round {
  status: string;
  error: string | null;
  changed_at: string | null;
  changes: { action: string; kind: string; key: string; is_drift: boolean; error: string | null }[];
}

const DECLARED = `
repositories:
  - project_path: ${PROJECT}
    branch: main
    max_file_bytes: 5000
    schedules:
      - cron_expression: 0 3 1 1 *
`;
const WITH_SIDE = `${DECLARED}
  - project_path: ${PROJECT}
    branch: side
`;
/** Node.js runs it in each process that gets the option. */
const WRITE_ENVIRONMENT = (to: string) => `
import { writeFileSync } from 'node:fs';
if (process.argv[2] === 'apply') writeFileSync(${JSON.stringify(to)}, JSON.stringify(process.env));
`;

beforeAll(async () => {
  world = await createIndexWorld({ DECLARED_RESOURCES_SECONDS: '10' });
  world.git.write('a.ts', '// a\n');
  await world.git.commit('A file');
  await world.git.branch('side');
  const folder = join(world.installation.dataDir, '..', 'declared');
  await mkdir(folder, { recursive: true });
  file = join(folder, 'resources.yaml');
  await writeFile(file, DECLARED);
  service = await world.installation.serve({ DECLARED_RESOURCES: folder, DECLARED_RESOURCES_MODE: 'prune' });
});
afterAll(() => world?.remove());

const round = () => service.call<Round>('GET', '/api/v1/declarations/installation');
const until = (isTrue: (found: Round) => boolean) =>
  eventually(async () => {
    const { status, body } = await round();
    return status === 200 && isTrue(body);
  });
const repositories = async () =>
  (
    await service.get<{ items: { id: string; branch: string; max_file_bytes: number }[] }>(
      '/api/v1/repositories',
    )
  ).items;

async function metric(name: string): Promise<number> {
  const response = await fetch(`${service.url}/metrics`);
  const line = (await response.text()).split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.split(' ')[1]);
}

describe('the leader, with DECLARED_RESOURCES', () => {
  it('creates what the files declare, and records it', async () => {
    await until(({ status }) => status === 'equal');
    expect(await repositories()).toMatchObject([{ branch: 'main', max_file_bytes: 5000 }]);
    const { body } = await round();
    expect(body).toMatchObject({ error: null, changed_at: expect.any(String) });
    expect(body.changes.map(({ action, kind }) => `${action} ${kind}`)).toEqual([
      'create repository',
      'create schedule',
    ]);
    const marks = await service.get<object>('/api/v1/declarations?declaration=installation');
    expect(marks).toMatchObject({ total: 2, items: [{ applied_by: 'declared resources' }, {}] });
  });

  it('undoes an edit by hand, and reports it as drift in the API, the log and a metric', async () => {
    const [main] = await repositories();
    await service.call('PATCH', `/api/v1/repositories/${main!.id}`, { max_file_bytes: 1 });
    await until(({ changes }) => changes.some(({ is_drift: isDrift }) => isDrift));
    expect(await repositories()).toMatchObject([{ max_file_bytes: 5000 }]);
    expect(await metric('repotide_declared_changes_total{cause="drift"}')).toBe(1);
    expect(service.command.stdout()).toContain(
      'a declared resource was changed by hand and is as declared again',
    );
  });

  it('follows a change of the files, and deletes what they no longer declare', async () => {
    await writeFile(file, WITH_SIDE);
    await eventually(async () => (await repositories()).length === 2);
    await writeFile(file, DECLARED);
    await eventually(async () => (await repositories()).length === 1);
    // The round is recorded after its last change.
    await until(({ changes }) =>
      changes.some(({ action, kind }) => action === 'delete' && kind === 'repository'),
    );
  });

  it('shows the error of a wrong file, changes nothing, and recovers', async () => {
    await writeFile(file, DECLARED.replace('branch:', 'brunch:'));
    await until(({ status }) => status === 'failed');
    expect((await round()).body.error).toContain(
      'resources.yaml:4: repositories[0].brunch is not a field here.',
    );
    expect(await metric('repotide_declared_failures')).toBe(1);
    expect(await repositories()).toHaveLength(1);
    await writeFile(file, DECLARED);
    await until(({ status, error }) => status === 'equal' && error === null);
    expect(await metric('repotide_declared_failures')).toBe(0);
  });

  it('gives the child process that compares the variables that the files name, and no others', async () => {
    const folder = join(world.installation.dataDir, '..');
    const [hook, seen] = [join(folder, 'hook.mjs'), join(folder, 'seen.json')];
    await writeFile(hook, WRITE_ENVIRONMENT(seen));
    await writeFile(file, `${DECLARED}\ncredentials:\n  - { name: shop, token_env: SHOP_TOKEN }\n`);
    await service.stop();
    service = await world.installation.serve({
      DECLARED_RESOURCES: file,
      NODE_OPTIONS: `--import=${pathToFileURL(hook).href}`,
      SHOP_TOKEN: world.gitlab.token,
      REPOTIDE_ENCRYPTION_KEY: 'a key for the credentials of this test',
      CLOUD_SECRET: 'a secret of another program',
    });
    const declared = '/api/v1/declarations?declaration=installation';
    await eventually(async () => {
      const { items } = await service.get<{ items: { kind: string }[] }>(declared);
      return items.some(({ kind }) => kind === 'credential');
    });
    const names = Object.keys(JSON.parse(await readFile(seen, 'utf8')) as object);
    expect(names.sort()).toEqual(['NODE_OPTIONS', 'REPOTIDE_TOKEN', 'REPOTIDE_URL', 'SHOP_TOKEN']);
  });

  it('answers 404 for a declaration that it does not compare', async () => {
    expect(await service.call('GET', '/api/v1/declarations/other')).toMatchObject({
      status: 404,
      body: { code: 'declaration_not_found' },
    });
  });
});
