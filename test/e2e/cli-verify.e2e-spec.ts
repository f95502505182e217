import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DryRunReport } from '@core/domain';
import { createIndexWorld, PROJECT, type IndexWorld, type ReportedRow } from '../support/index-world.js';

const FILES = 3;

let world: IndexWorld;

beforeAll(async () => {
  world = await createIndexWorld();
  for (let file = 0; file < FILES; file++) world.git.write(`src/file-${file}.ts`, `// file ${file}\n`);
  await world.git.commit('Files');
});
afterAll(() => world?.remove());

interface Result {
  code: number | NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

async function repotide(...args: string[]): Promise<Result> {
  const command = world.installation.run(args);
  const code = await command.ended;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}

async function countOf(table: string): Promise<number> {
  const [row] = await world.database.query<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`);
  return Number(row!.rows);
}

async function damage(): Promise<void> {
  await world.database.query(`DELETE FROM vector_points WHERE path = 'src/file-0.ts'`);
  await world.database.query(
    `UPDATE vector_points SET payload = jsonb_set(payload::jsonb, '{text}', '"other words"')::json
      WHERE path = 'src/file-1.ts'`,
  );
}

const rowsIn = ({ stdout }: Result): ReportedRow[] => JSON.parse(stdout) as ReportedRow[];

describe('repotide sync --dry-run', () => {
  it('plans for a project that is not registered, and leaves no row', async () => {
    const before = await world.indexState();
    const json = await repotide('sync', PROJECT, '--dry-run', '--json');
    expect([json.code, json.stderr]).toEqual([0, '']);
    const report = JSON.parse(json.stdout) as DryRunReport;
    expect(report).toMatchObject({ kind: 'dry_run', from_commit: null, fetched: { files: FILES } });
    const text = await repotide('sync', PROJECT, '--dry-run');
    expect(text.code).toBe(0);
    expect(text.stdout).toContain(`read and embed  ${FILES} file(s): src/file-0.ts`);
    expect(text.stdout).toContain(
      `a sync would bring the index from nothing to ${report.to_commit.slice(0, 12)}`,
    );

    expect(await world.indexState()).toEqual(before);
    expect(await countOf('repositories')).toBe(0);
    expect(await countOf('schedule_execution_logs')).toBe(0);
  });

  it('fails for an unknown project and for a useless budget', async () => {
    const unknown = await repotide('sync', 'team/none', '--dry-run', '--json');
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toContain('team/none');
    const nonsense = await repotide('sync', PROJECT, '--max-tokens', '0');
    expect(nonsense).toMatchObject({ code: 2, stdout: '' });
    expect(nonsense.stderr).toContain('expected a whole number from 1.');
  });
});

describe('repotide verify', () => {
  it('exits with 0 for an equal index and 1 for a different one, which it does not change', async () => {
    expect((await repotide('sync', PROJECT)).code).toBe(0);
    const equal = await repotide('verify');
    expect(equal.code).toBe(0);
    expect(equal.stdout).toMatch(/^team\/app at main: equal to the tree at \w{12} \(3 files, 3 points\)\n$/);

    await damage();
    const differs = await repotide('verify', PROJECT);
    expect(differs.code).toBe(1);
    expect(differs.stdout).toContain('1 missing point(s), 1 changed point(s)');
    expect(differs.stdout).toContain('src/file-0.ts');
    const again = await repotide('verify', PROJECT, '--json');
    expect(again.code).toBe(1);
    expect(rowsIn(again)).toEqual([
      expect.objectContaining({
        status: 'failed',
        error_code: 'index_differs',
        requested_by: 'cli',
        report: expect.objectContaining({ is_equal: false, points_missing: 1, points_changed: 1 }),
      }),
    ]);
  });

  it('repairs a different index with --repair and exits with 0', async () => {
    const repaired = await repotide('verify', '--repair', '--json');
    expect(repaired.code).toBe(0);
    const [row] = rowsIn(repaired);
    expect(row).toMatchObject({ status: 'completed', error_code: 'index_repaired' });
    expect(row!.report).toMatchObject({ is_equal: false, after_repair: { is_equal: true } });

    await damage();
    const plain = await repotide('verify', '--repair');
    expect(plain).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('repaired: equal to the tree at'),
    });
    expect(await repotide('verify', row!.repository_id)).toMatchObject({ code: 0 });
  });

  it('skips a busy repository with a message, and exits with 1', async () => {
    await world.git.branch('side');
    expect((await repotide('sync', PROJECT, '--branch', 'side')).code).toBe(0);
    await world.database.query(
      `INSERT INTO schedule_execution_logs (repository_id, trigger, status, available_at)
        SELECT id, 'webhook', 'queued', clock_timestamp() + interval '1 day' FROM repositories WHERE branch = 'main'`,
    );
    const { code, stdout, stderr } = await repotide('verify');
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^team\/app at side: equal to the tree/)]);
    expect(stderr).toContain('team/app at main: not verified: ');
  });

  it('verifies all repositories with --all, and exits with 0 only when all are equal', async () => {
    await world.database.query(`DELETE FROM schedule_execution_logs WHERE status = 'queued'`);
    const equal = await repotide('verify', '--all', '--json');
    expect(equal.code).toBe(0);
    expect(rowsIn(equal).map(({ status }) => status)).toEqual(['completed', 'completed']);
    await damage();
    const differs = await repotide('verify', '--all', '--json');
    expect(differs.code).toBe(1);
    expect(rowsIn(differs).map(({ error_code }) => error_code)).toContain('index_differs');
    const both = await repotide('verify', PROJECT, '--all');
    expect(both).toMatchObject({ code: 2, stdout: '' });
    expect(both.stderr).toContain('give either a repository or --all, not both.');
  });

  it('fails for a repository that is not registered', async () => {
    const unknown = await repotide('verify', 'team/none');
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toContain(
      'No repository "team/none" is registered; "repotide status" lists them.',
    );
  });
});
