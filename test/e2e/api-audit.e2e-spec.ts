import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import request from 'supertest';
import { ApiTokens, AuditLog } from '@adapters/postgres';
import { type Repository } from '@core/domain';
import { hashToken, makeToken } from '../../apps/server/src/access/api-token.js';
import { AuditTrail } from '../../apps/server/src/audit/audit-trail.js';
import { type TestApi, startTestApi } from '../support/api-app.js';
import { runCommand } from '../support/command-line.js';
import { UNKNOWN_ID } from '../support/registration.js';

type Entry = Record<string, unknown> & { id: number; hash: string };

const PROXY = '127.0.0.0/8';
let api: TestApi;
let own: Repository;
let foreign: Repository;
let scoped: string;
const client = () => request(api.url);
const as = (role: 'viewer' | 'operator' | 'admin') => ({ Authorization: api.authorization(role) });
const from = (address: string) => ({ 'X-Forwarded-For': address });
const audit = async (query: string): Promise<{ items: Entry[]; total: number }> => {
  const answer = await client().get(`/api/v1/audit?${query}`).set(as('admin')).expect(200);
  return answer.body as { items: Entry[]; total: number };
};

beforeAll(async () => {
  api = await startTestApi({ env: { TRUSTED_PROXIES: PROXY, API_RATE_LIMIT_PER_MINUTE: '300' } });
  own = await api.register({ projectPath: 'alpha/one' });
  foreign = await api.register({ projectPath: 'beta/one' });
  scoped = makeToken();
  await api.get(ApiTokens).create({
    ...{ name: 'alpha reader', role: 'viewer', scope: ['alpha'], tokenHash: hashToken(scoped) },
    ...{ expiresAt: null, createdBy: 'test' },
  });
});
afterAll(() => api.stop());

describe('audit records of refusals', () => {
  it('name reason, route and client address, and contain no token', async () => {
    const guess = makeToken();
    const address = '192.0.2.1';
    await client().get('/api/v1/schedules').set(from(address)).expect(401);
    await client()
      .get(`/api/v1/schedules/${UNKNOWN_ID}`)
      .set({ ...from(address), Authorization: `Bearer ${guess}` })
      .expect(401);
    await client()
      .post('/api/v1/tokens')
      .set(as('viewer'))
      .set(from(address))
      .send({ name: guess })
      .expect(403);
    const { items } = await audit(`client_address=${address}`);
    expect(
      items.map(({ kind, error_code, method, route, actor_name, actor_role, outcome }) => [
        kind,
        error_code,
        method,
        route,
        actor_name,
        actor_role,
        outcome,
      ]),
    ).toEqual([
      ['refusal', 'role_required', 'POST', '/api/v1/tokens', 'test-viewer', 'viewer', 'refused'],
      ['refusal', 'token_rejected', 'GET', '/api/v1/schedules/:id', null, null, 'refused'],
      ['refusal', 'token_missing', 'GET', '/api/v1/schedules', null, null, 'refused'],
    ]);
    expect(JSON.stringify(items)).not.toContain(guess);
  });

  it('include what a scope hides, for reads and for changes', async () => {
    const address = '192.0.2.2';
    const caller = { ...from(address), Authorization: `Bearer ${scoped}` };
    await client().get(`/api/v1/repositories/${foreign.id}`).set(caller).expect(404);
    await client().get('/api/v1/audit').set(caller).expect(403);
    const { items } = await audit(`client_address=${address}`);
    expect(
      items.map(({ error_code, subject_id, actor_name }) => [error_code, subject_id, actor_name]),
    ).toEqual([
      ['role_required', null, 'alpha reader'],
      ['repository_not_found', foreign.id, 'alpha reader'],
    ]);
  });

  it('are few when a client guesses: the first, and a sum', async () => {
    const address = '192.0.2.3';
    for (let guess = 0; guess < 80; guess++) {
      const answer = await client()
        .get('/api/v1/identity')
        .set({ ...from(address), Authorization: `Bearer ${makeToken()}` });
      expect([401, 429]).toContain(answer.status);
    }
    await api.get(AuditTrail).onApplicationShutdown();
    const { items } = await audit(`client_address=${address}`);
    expect(items.map(({ error_code: code, calls }) => [code, calls === null])).toEqual([
      ['too_many_failures', false],
      ['token_rejected', false],
      ['too_many_failures', true],
      ['token_rejected', true],
    ]);
    expect(items.reduce((sum, { calls }) => sum + Number(calls ?? 1), 0)).toBe(80);
    expect(new Date(String(items[0]!.last_at)).getTime()).toBeGreaterThanOrEqual(
      new Date(String(items[0]!.at)).getTime(),
    );
  });
});

describe('audit records of reads', () => {
  it('name the repositories and the files that were asked for', async () => {
    await client().get(`/api/v1/repositories/${own.id}/files?limit=1`).set(as('viewer')).expect(200);
    await client().get(`/api/v1/repositories/${own.id}/tree`).set(as('viewer')).expect(200);
    const { items } = await audit(`repository_id=${own.id}&kind=read`);
    expect(
      items.map(({ action, route, outcome, client_address: address }) => [action, route, outcome, address]),
    ).toEqual([
      ['folder.list', '/api/v1/repositories/:id/tree', 'succeeded', '127.0.0.1'],
      ['file.list', '/api/v1/repositories/:id/files', 'succeeded', '127.0.0.1'],
    ]);
  });

  it('of a search contain its fingerprint and never its text', async () => {
    const secret = 'glpat-typed-into-the-search';
    await client()
      .post('/api/v1/search')
      .set(as('viewer'))
      .send({ query: ` ${secret} ` })
      .expect(200);
    await client().post('/api/v1/search').set(as('viewer')).send({ query: 'another' }).expect(200);
    const { items } = await audit(`query=${secret}`);
    expect(items).toEqual([
      expect.objectContaining({
        kind: 'read',
        action: 'search.query',
        actor_name: 'test-viewer',
        outcome: 'succeeded',
      }),
    ]);
    expect(JSON.stringify((await audit('limit=500')).items)).not.toContain(secret);
  });

  it('name the tools of agents', async () => {
    const call = (name: string, args: object) =>
      client()
        .post('/mcp')
        .set({ Authorization: `Bearer ${scoped}`, Accept: 'application/json, text/event-stream' })
        .send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })
        .expect(200);
    await call('repository_status', { repository: own.id });
    await call('read_file', { repository: foreign.id, path: 'src/main.ts' });
    await call('search_code', { query: 'the lease' });
    const { items } = await audit('subject_type=mcp');
    expect(
      items.map(({ action, outcome, error_code, repository_ids, path }) => [
        action,
        outcome,
        error_code,
        repository_ids,
        path,
      ]),
    ).toEqual([
      ['mcp.search_code', 'succeeded', null, [], null],
      ['mcp.read_file', 'refused', 'repository_not_found', null, null],
      ['mcp.repository_status', 'succeeded', null, [own.id], null],
    ]);
    expect(items[0]!.query_hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('are written after the database answers again, and hold up nobody before', async () => {
    await api.database.query('ALTER TABLE audit_records RENAME TO audit_records_away');
    try {
      await client().get(`/api/v1/repositories/${foreign.id}/tree`).set(as('viewer')).expect(200);
      await api.get(AuditTrail).flush();
      expect(api.logger.lines.map(({ message }) => message)).toContain(
        'Audit records could not be written; they wait for the next attempt',
      );
    } finally {
      await api.database.query('ALTER TABLE audit_records_away RENAME TO audit_records');
    }
    expect((await audit(`repository_id=${foreign.id}&action=folder.list`)).total).toBe(1);
    const { text } = await client().get('/metrics').expect(200);
    expect(text).toMatch(/^repotide_audit_write_failures_total 1$/m);
  });
});

describe('the export of the audit log', () => {
  it('is complete JSON lines that the command checks without a database', async () => {
    await client().get('/api/v1/executions/export').set(as('viewer')).expect(200);
    const answer = await client().get('/api/v1/audit/export').set(as('admin')).expect(200);
    expect(answer.get('Content-Type')).toBe('application/x-ndjson; charset=utf-8');
    const lines = answer.text.trim().split('\n');
    const head = JSON.parse(lines.at(-1)!) as Entry;
    expect(head).toMatchObject({
      id: lines.length,
      kind: 'export',
      action: 'execution.export',
      outcome: 'succeeded',
    });
    expect((await audit('kind=export&limit=1')).items[0]).toMatchObject({
      action: 'audit.export',
      route: '/api/v1/audit/export',
    });
    const directory = await mkdtemp(join(tmpdir(), 'repotide-audit-'));
    const check = async (text: string, ...options: string[]) => {
      const file = join(directory, 'audit.jsonl');
      await writeFile(file, text);
      const command = runCommand(['audit-check', file, ...options], {});
      return [await command.ended, command.stdout()];
    };
    const known = `${head.id}:${head.hash}`;
    expect(await check(answer.text, '--known', known)).toEqual([
      0,
      `${lines.length} records are intact. The newest is ${known}\n`,
    ]);
    const forged = lines.with(3, lines[3]!.replace('"kind":"', '"kind":"x'));
    expect(await check(forged.join('\n'))).toEqual([1, 'Record 4 is wrong: its content was changed.\n']);
    expect(await check(lines.slice(0, -1).join('\n'), '--known', known)).toEqual([
      1,
      `Record ${head.id} is wrong: the known record is not in the file.\n`,
    ]);
    await rm(directory, { recursive: true });
  });

  it('is also the check of the API, which names the first broken record', async () => {
    const check = async (query = '') =>
      (await client().get(`/api/v1/audit/check${query}`).set(as('admin')).expect(200)).body as {
        head: { id: number; hash: string };
      };
    const { head, ...rest } = await check();
    expect(rest).toMatchObject({ is_intact: true, broken: null, checked: head.id });
    expect(await check(`?known_id=${head.id}&known_hash=${head.hash}`)).toMatchObject({ is_intact: true });
    expect(await check(`?known_id=${head.id}&known_hash=${'0'.repeat(64)}`)).toMatchObject({
      is_intact: false,
      broken: { id: head.id, problem: 'the known record had another hash' },
    });
    await client().get(`/api/v1/audit/check?known_id=1`).set(as('admin')).expect(422);
    await client().get('/api/v1/audit/check').set(as('operator')).expect(403);
  });
});

it('audit records are printed to standard output when AUDIT_STDOUT is on, with their place in the chain', async () => {
  const printing = await startTestApi({ env: { AUDIT_STDOUT: 'on' } });
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    await request(printing.url).get('/api/v1/schedules').expect(401);
    await printing.get(AuditTrail).flush();
    const printed = write.mock.calls.map(([text]) => String(text)).filter((text) => text.includes('"audit"'));
    const { items } = await printing.get(AuditLog).list({}, { limit: 1, offset: 0 });
    expect(printed.map((line) => JSON.parse(line) as unknown)).toEqual([
      { audit: expect.objectContaining({ id: 1, hash: items[0]!.hash, error_code: 'token_missing' }) },
    ]);
  } finally {
    write.mockRestore();
    await printing.stop();
  }
});

it('audit records that wait are written when the service stops', async () => {
  const stopping = await startTestApi();
  const log = new AuditLog(stopping.database);
  await request(stopping.url).get('/api/v1/schedules').expect(401);
  await stopping.app.close();
  expect((await log.list({}, { limit: 10, offset: 0 })).items).toEqual([
    expect.objectContaining({ errorCode: 'token_missing' }),
  ]);
  await stopping.stop();
});
