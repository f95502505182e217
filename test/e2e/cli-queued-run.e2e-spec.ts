import { createExecutionStore } from '@adapters/postgres';
import { type Execution, type ExecutionStore } from '@core/domain';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createIndexWorld, PROJECT, type IndexWorld, type ReportedRow } from '../support/index-world.js';

let world: IndexWorld;
let executions: ExecutionStore;

beforeAll(async () => {
  world = await createIndexWorld();
  world.git.write('a.ts', '// a\n');
  await world.git.commit('A file');
  executions = createExecutionStore(world.database);
  expect(await sync()).toMatchObject({ code: 0 });
});
afterAll(() => world?.remove());

async function sync(...options: string[]) {
  const command = world.installation.run(['sync', PROJECT, '--json', ...options]);
  const code = await command.ended;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}

async function queue(fullSync: boolean): Promise<Execution> {
  const [repository] = await world.database.query<{ id: string }>('SELECT id FROM repositories');
  const request = { repositoryId: repository!.id, requestedBy: 'ada', fullSync } as const;
  return executions.enqueue({ ...request, trigger: 'manual' });
}

it.each([['--full'], ['--max-tokens', '1000']])(
  'repotide sync %s is refused while a plain sync is queued',
  async (...options) => {
    const queued = await queue(false);
    const refused = await sync(...options);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain(`Another run is queued: ${queued.id} (manual, attempt 1).`);
    expect(await executions.find(queued.id)).toMatchObject({ status: 'queued' });
    await executions.requestCancel(queued.id);
    const row = JSON.parse((await sync(...options)).stdout) as ReportedRow;
    expect(row).toMatchObject({ status: 'completed', requested_by: 'cli' });
  },
);

it('repotide sync continues with the queued run, and prints its kind', async () => {
  const queued = await queue(true);
  const { code, stdout, stderr } = await sync();
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ id: queued.id, full_sync: true, status: 'completed' });
  expect(stderr).toContain(`Continuing the queued run: ${queued.id} (manual, attempt 1, full).`);
});
