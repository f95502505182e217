import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type VerifyReport } from '@core/domain';
import {
  createIndexWorld,
  PROJECT,
  runToItsEnd,
  type IndexWorld,
  type ReportedRow,
} from '../support/index-world.js';
import { type Service } from '../support/installation.js';
import {
  executionThat,
  isOver,
  register,
  type List,
  type RepositoryRow,
} from '../support/service-resources.js';
import { UNKNOWN_ID } from '../support/registration.js';

const FILES = 6;

let world: IndexWorld;
let service: Service;
let repository: RepositoryRow;
let tokens: Record<'viewer' | 'operator', string>;

beforeAll(async () => {
  world = await createIndexWorld();
  for (let file = 0; file < FILES; file++) world.git.write(`src/file-${file}.ts`, `// file ${file}\n`);
  await world.git.commit('Files');
  service = await world.installation.serve();
  const tokenOf = async (role: string): Promise<string> =>
    (await service.post<{ token: string }>('/api/v1/tokens', { name: role, role })).token;
  tokens = { viewer: await tokenOf('viewer'), operator: await tokenOf('operator') };
  repository = await register(service, PROJECT);
});
afterAll(() => world?.remove());

const run = (what: 'sync' | 'verify', body?: object): Promise<ReportedRow> =>
  runToItsEnd(service, `/api/v1/repositories/${repository.id}/${what}`, body);
const reportOf = ({ report }: ReportedRow): VerifyReport => report as VerifyReport;

const sum = ({ points_missing, points_stale, points_doubled, points_changed }: VerifyReport): number[] => [
  points_missing,
  points_stale,
  points_doubled,
  points_changed,
];

describe('verify through the API', () => {
  it('fails before the first sync', async () => {
    const row = await run('verify');
    expect(row).toMatchObject({ status: 'failed', handler: 'verify', error_code: 'index_differs' });
    expect(reportOf(row)).toMatchObject({ commit: null, is_equal: false });
    expect(row.error_message).toContain('No sync of the repository has completed yet');
  });

  it('reports an equal index, and changes nothing', async () => {
    await run('sync');
    const before = await world.indexState();
    const row = await run('verify');
    expect(row).toMatchObject({ status: 'completed', trigger: 'manual', error_code: null });
    expect(reportOf(row)).toMatchObject({
      kind: 'verify',
      commit: await world.git.head(),
      is_equal: true,
      files_checked: FILES,
      points_checked: FILES,
      after_repair: null,
    });
    const after = await world.indexState();
    // The run increases the repository's fence; nothing else may change.
    expect({ ...after, repositories: null }).toEqual({ ...before, repositories: null });
  });

  it('reports damage in the store with its paths, and changes nothing', async () => {
    const damage = [
      `DELETE FROM vector_points WHERE path = 'src/file-0.ts'`,
      `UPDATE vector_points SET payload = jsonb_set(payload::jsonb, '{text}', '"other words"')::json
        WHERE path = 'src/file-1.ts'`,
      `INSERT INTO vector_points SELECT collection, gen_random_uuid(), repository_id, path, directories, language,
          file_version, blob_sha, chunk_index, fence, vector, payload
        FROM vector_points WHERE path = 'src/file-2.ts'`,
      `INSERT INTO vector_points SELECT collection, gen_random_uuid(), repository_id, 'src/gone.ts', directories,
          language, file_version, blob_sha, chunk_index, fence, vector,
          jsonb_set(payload::jsonb, '{path}', '"src/gone.ts"')::json
        FROM vector_points WHERE path = 'src/file-3.ts'`,
      `DELETE FROM repository_files WHERE path = 'src/file-4.ts'`,
    ];
    for (const sql of damage) await world.database.query(sql);
    const before = (await world.indexState())['vector_points'];
    const row = await run('verify');
    expect(row).toMatchObject({ status: 'failed', error_code: 'index_differs' });
    const report = reportOf(row);
    expect(report).toMatchObject({
      is_equal: false,
      files_missing: { files: 1, first_paths: ['src/file-4.ts'] },
      after_repair: null,
    });
    // One point belongs to the forgotten file, which has no row.
    expect(sum(report)).toEqual([1, 2, 1, 1]);
    expect(report.points_in.first_paths).toEqual(
      expect.arrayContaining(['src/file-0.ts', 'src/file-1.ts', 'src/file-2.ts', 'src/gone.ts']),
    );
    expect((await world.indexState())['vector_points']).toEqual(before);
  });

  it('repairs the damage, and then reports an equal index', async () => {
    const row = await run('verify', { repair: true });
    expect(row).toMatchObject({ status: 'completed', handler: 'repair', error_code: 'index_repaired' });
    expect(sum(reportOf(row))).toEqual([1, 2, 1, 1]);
    expect(reportOf(row)).toMatchObject({ is_equal: false, after_repair: { is_equal: true } });
    const after = await run('verify');
    expect(after).toMatchObject({ status: 'completed', report: { is_equal: true, points_checked: FILES } });
    // An intact index needs no repair.
    const again = await run('verify', { repair: true });
    expect(again).toMatchObject({ status: 'completed', error_code: null, report: { after_repair: null } });
  });

  it('requires the role operator, a known repository and a valid body', async () => {
    const path = `/api/v1/repositories/${repository.id}/verify`;
    expect(await service.call('POST', path, {}, tokens.viewer)).toMatchObject({ status: 403 });
    expect(await service.call('POST', path, { repair: 1 })).toMatchObject({ status: 400 });
    expect(await service.call('POST', path, { full: true })).toMatchObject({ status: 400 });
    const unknown = await service.call('POST', `/api/v1/repositories/${UNKNOWN_ID}/verify`);
    expect(unknown).toMatchObject({ status: 404, body: { code: 'repository_not_found' } });
  });

  it('is queued once for an idempotency key, which other kinds of runs cannot share', async () => {
    const ask = async (what: string, body: object) => {
      const answer = await fetch(`${service.url}/api/v1/repositories/${repository.id}/${what}`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${tokens.operator}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': 'verify-1',
        },
        body: JSON.stringify(body),
      });
      return { status: answer.status, body: (await answer.json()) as { execution_id: string } };
    };
    const first = await ask('verify', {});
    expect(first.status).toBe(202);
    await executionThat(service, first.body.execution_id, isOver);
    expect(await ask('verify', {})).toEqual(first);
    for (const [what, body] of [
      ['verify', { repair: true }],
      ['sync', {}],
      ['sync', { dry_run: true }],
    ] as const)
      expect(await ask(what, body)).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
  });

  it('is in the audit log with its caller', async () => {
    const path = `/api/v1/repositories/${repository.id}/verify`;
    const asked = await service.call<{ execution_id: string }>('POST', path, {}, tokens.operator);
    expect(asked.status).toBe(202);
    const { items } = await service.get<List<Record<string, unknown>>>(
      `/api/v1/audit?subject_id=${repository.id}&action=repository.verify&limit=100`,
    );
    expect(items[0]).toMatchObject({ actor_name: 'operator', outcome: 'succeeded' });
    expect(items).toContainEqual(
      expect.objectContaining({ outcome: 'succeeded', changes: { repair: true } }),
    );
    expect(items).toContainEqual(expect.objectContaining({ outcome: 'refused' }));
  });
});
