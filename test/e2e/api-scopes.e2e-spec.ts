import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ApiTokens } from '@adapters/postgres';
import { isInScope, type Role, type Scope } from '@core/domain';
import { buildOpenApiDocument } from '../../apps/server/src/http/openapi.js';
import { type TestApi, startTestApi } from '../support/api-app.js';
import { type ApiDocument, type Operation, operationsOf } from '../support/operations.js';
import {
  answerTo as answerAt,
  type Call,
  leaksIn,
  requestTo as requestIn,
  toolCallTo,
} from '../support/scoped-calls.js';
import { makeScopeWorld, type MarkedRepository, type ScopeWorld } from '../support/scope-world.js';

/** `SCOPE_REQUESTS=10000` is the long form; `SCOPE_SEED` repeats a run. */
const REQUESTS = Number(process.env['SCOPE_REQUESTS'] ?? 250);
const SEED = Number(process.env['SCOPE_SEED'] ?? 20_261_122);
const PATTERNS = ['alpha', 'beta', '*/common-*', 'alpha/**', 'https://gitlab.example.com/beta', 'nowhere'];

interface ScopedToken {
  clearText: string;
  role: Role;
  scope: string[];
}

let api: TestApi;
let world: ScopeWorld;
let operations: Operation[];
let schemas: Record<string, object>;
let tokens: ScopedToken[];

const answerTo = (call: Call, token: string) => answerAt(api.url, call, token);
const requestTo = (operation: Operation) => requestIn(operation, world.repositories, schemas);

beforeAll(async () => {
  api = await startTestApi({ env: { API_RATE_LIMIT_PER_MINUTE: '0' } });
  world = await makeScopeWorld(api);
  const document = buildOpenApiDocument(api.app) as unknown as ApiDocument;
  operations = operationsOf(document).filter(({ role }) => role !== null);
  schemas = document.components.schemas;
  tokens = await Promise.all(
    PATTERNS.flatMap((pattern) =>
      (['viewer', 'viewer', 'operator', 'admin'] as const).map((role) => makeToken(role, [pattern])),
    ),
  );
});
afterAll(() => api.stop());

async function makeToken(role: Role, scope: string[] | null): Promise<ScopedToken> {
  const clearText = randomUUID();
  const tokenHash = createHash('sha256').update(clearText).digest('hex');
  const row = { name: `scoped-${role}`, role, scope, tokenHash, expiresAt: null, createdBy: 'test' };
  await api.get(ApiTokens).create(row);
  return { clearText, role, scope: scope ?? [] };
}

const isOutside =
  (scope: Scope) =>
  ({ baseUrl, projectPath }: MarkedRepository): boolean =>
    !isInScope(scope, { baseUrl, projectPath });

async function admin(path: string): Promise<{ status: number; body: never }> {
  const response = await fetch(api.url + path, { headers: { Authorization: api.authorization('admin') } });
  return { status: response.status, body: (await response.json()) as never };
}

describe('callers with a scope', () => {
  it('get nothing of other repositories, whatever they request, while projects move between groups', async () => {
    const witness = world.repositories.filter(({ group }) => group === 'omega');
    const before = await Promise.all(witness.map(({ id }) => admin(`/api/v1/repositories/${id}`)));
    const named = fc
      .constantFrom(...operations)
      .chain((operation) => fc.tuple(requestTo(operation), fc.constant(operation.name)));
    const toolCall = fc.tuple(toolCallTo(world.repositories), fc.constant('a tool of agents'));
    const randomCall = fc.tuple(
      fc.oneof({ weight: 9, arbitrary: named }, { weight: 1, arbitrary: toolCall }),
      fc.constantFrom(...tokens),
      fc.nat(99),
    );
    const seen = { inside: 0, accepted: 0, hidden: 0, byAgents: 0 };
    for (const [[call, name], token, dice] of fc.sample(randomCall, { numRuns: REQUESTS, seed: SEED })) {
      if (dice < 5) await world.move(dice);
      const outside = world.repositories.filter(isOutside(token.scope));
      const { status, all } = await answerTo(call, token.clearText);
      const leaks = leaksIn(all, outside, call);
      expect({ name, call, scope: token.scope, leaks }).toEqual({
        name,
        call,
        scope: token.scope,
        leaks: [],
      });
      expect({
        name,
        call,
        status,
        isError: status >= 500 && status !== 502 && status !== 503,
      }).toMatchObject({
        isError: false,
      });
      const inside = world.repositories.filter((repository) => !isOutside(token.scope)(repository));
      const hasOwn = inside.some(({ marker }) => all.includes(marker));
      if (hasOwn) seen.inside += 1;
      if (hasOwn && call.path === '/mcp') seen.byAgents += 1;
      if (status < 300) seen.accepted += 1;
      if (status === 404) seen.hidden += 1;
    }
    // Otherwise the requests would prove nothing.
    expect(seen.inside).toBeGreaterThan(REQUESTS / 20);
    expect(seen.byAgents).toBeGreaterThan(0);
    expect(seen.accepted).toBeGreaterThan(REQUESTS / 10);
    expect(seen.hidden).toBeGreaterThan(REQUESTS / 20);
    const after = await Promise.all(witness.map(({ id }) => admin(`/api/v1/repositories/${id}`)));
    expect(after).toEqual(before);
  }, 3_600_000);

  it('count only their own repositories, schedules, runs, failures and files', async () => {
    await world.reset();
    const { clearText } = await makeToken('viewer', ['gamma']);
    const own = world.repositories.filter(({ group }) => group === 'gamma');
    const get = async (path: string): Promise<Record<string, unknown>> => {
      const { all, status } = await answerTo({ method: 'GET', path }, clearText);
      expect({ path, status }).toEqual({ path, status: 200 });
      return JSON.parse(all.slice(all.indexOf(']]') + 2)) as Record<string, unknown>;
    };
    const [repositories, schedules, executions] = [own.length, own.length, own.length * 3];
    expect(await get('/api/v1/repositories?limit=1')).toMatchObject({ total: repositories });
    expect(await get('/api/v1/schedules?limit=1')).toMatchObject({ total: schedules });
    expect(await get('/api/v1/executions?limit=1')).toMatchObject({ total: executions });
    expect(await get('/api/v1/locks')).toMatchObject({ total: 0 });
    expect(await get('/api/v1/cluster')).toMatchObject({ queue_depth: own.length });
    expect(await get('/api/v1/history/summary')).toMatchObject({ total_runs: executions });
    expect(await get('/api/v1/history/failures')).toMatchObject({ total: { failures: own.length } });
    const { buckets } = (await get('/api/v1/history/timeline?bucket=week')) as {
      buckets: { runs: { completed: number } }[];
    };
    expect(buckets.reduce((sum, { runs }) => sum + runs.completed, 0)).toBe(own.length);
    expect(await get('/api/v1/collections')).toMatchObject({ total: own.length });
  });

  it('get the answer of a missing row for a row of another repository', async () => {
    const { clearText } = await makeToken('admin', ['gamma']);
    const foreign = world.repositories.find(({ group }) => group === 'omega')!;
    const rows = [
      ['repositories', foreign.id],
      ['schedules', foreign.scheduleId],
      ['executions', foreign.executionIds[0]!],
    ] as const;
    for (const [kind, id] of rows) {
      const unknown = randomUUID();
      const found = await answerTo({ method: 'GET', path: `/api/v1/${kind}/${id}` }, clearText);
      const missing = await answerTo({ method: 'GET', path: `/api/v1/${kind}/${unknown}` }, clearText);
      const body = (all: string) => all.slice(all.indexOf(']]')).replace(/"request_id":"[^"]*"/, '');
      expect([found.status, body(found.all).replaceAll(id, unknown)]).toEqual([404, body(missing.all)]);
      expect((await answerTo({ method: 'DELETE', path: `/api/v1/${kind}/${id}` }, clearText)).status).toBe(
        kind === 'executions' ? 405 : 404,
      );
    }
  });

  it('cannot reach what is about the whole installation', async () => {
    const { clearText } = await makeToken('admin', ['gamma']);
    for (const path of [
      'tokens',
      'audit',
      'settings',
      'credentials',
      'discoveries',
      'declarations',
      'progress/stats',
    ]) {
      const { status, all } = await answerTo({ method: 'GET', path: `/api/v1/${path}` }, clearText);
      expect({ path, status, hasCode: all.includes('scope_too_small') }).toEqual({
        path,
        status: 403,
        hasCode: true,
      });
    }
  });
});
