import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { UserSessions } from '@adapters/postgres';
import { isInScope, type Role, type Scope } from '@core/domain';
import { createGitRepository, type GitLabStandIn, startGitLabStandIn, type StandInProject } from '@devkit';
import { sessionToken } from '../../apps/server/src/access/session-cookie.js';
import { hashToken } from '../../apps/server/src/access/api-token.js';
import { buildOpenApiDocument } from '../../apps/server/src/http/openapi.js';
import { type TestApi, startTestApi } from '../support/api-app.js';
import { startOidcIssuer, type OidcIssuer } from '../support/oidc-issuer.js';
import { type ApiDocument, type Operation, operationsOf } from '../support/operations.js';
import { answerTo, leaksIn, requestTo, toolCallTo } from '../support/scoped-calls.js';
import { makeScopeWorld, type MarkedRepository, type ScopeWorld } from '../support/scope-world.js';

/** `SCOPE_REQUESTS=10000` is the long form; `SCOPE_SEED` repeats a run. */
const REQUESTS = Number(process.env['SCOPE_REQUESTS'] ?? 150);
const SEED = Number(process.env['SCOPE_SEED'] ?? 20_261_123);
const SCOPES: Scope[] = [null, null, null, ['alpha', 'beta'], ['*/common-*'], ['alpha/**']];
const USERS = [101, 102, 103, 104];
const UNKNOWN_USER = 999;

interface Person {
  token: string;
  scope: Scope;
  userId: number | null;
}

let directory: string;
let gitlab: GitLabStandIn;
let issuer: OidcIssuer;
let api: TestApi;
let world: ScopeWorld;
let projects: Map<string, StandInProject>;
let operations: Operation[];
let schemas: Record<string, object>;
let people: Person[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'repotide-membership-'));
  const git = await createGitRepository(directory);
  await git.write('a.txt', 'a').commit('first');
  gitlab = await startGitLabStandIn();
  issuer = await startOidcIssuer();
  api = await startTestApi({
    gitlab,
    env: {
      API_RATE_LIMIT_PER_MINUTE: '0',
      OIDC_ISSUER: issuer.url,
      OIDC_AUDIENCE: 'repotide',
      OIDC_CLIENT_ID: 'app',
      PUBLIC_URL: 'https://repotide.example.com',
      GITLAB_MEMBERSHIP: 'on',
      GITLAB_MEMBERSHIP_SECONDS: '0',
      GITLAB_USER_CLAIM: 'gitlab.id',
    },
  });
  world = await makeScopeWorld(api);
  projects = new Map();
  for (const [index, repository] of world.repositories.entries()) {
    repository.baseUrl = gitlab.url;
    const project = await gitlab.addProject({
      path: repository.projectPath,
      gitDir: directory,
      id: index + 1,
    });
    projects.set(repository.id, project);
    await api.database.query('UPDATE repositories SET base_url = $2, project_id = $3 WHERE id = $1', [
      repository.id,
      gitlab.url,
      project.id,
    ]);
  }
  const document = buildOpenApiDocument(api.app) as unknown as ApiDocument;
  operations = operationsOf(document).filter(({ role }) => role !== null);
  schemas = document.components.schemas;
  people = [];
  for (const userId of [...USERS, UNKNOWN_USER, null])
    for (const [index, scope] of SCOPES.entries())
      people.push(await signIn(userId, scope, (['viewer', 'operator', 'admin'] as const)[index % 3]));
}, 120_000);
afterAll(async () => {
  await api?.stop();
  await issuer?.close();
  await gitlab?.stop();
  await rm(directory, { recursive: true, force: true });
});

async function signIn(userId: number | null, scope: Scope, role: Role = 'viewer'): Promise<Person> {
  const token = sessionToken(randomUUID());
  const caller = { id: `oidc:${userId}`, name: `person ${userId}`, role, scope, gitlabUserId: userId };
  await api.get(UserSessions).create({ tokenHash: hashToken(token), caller, lifeSeconds: 3600 });
  return { token, scope, userId };
}

/** What GitLab lets a person read, written here once more from GitLab's table of permissions. */
function mayRead(userId: number | null, repository: MarkedRepository): boolean {
  const project = projects.get(repository.id)!;
  const user = gitlab.users.get(userId ?? -1);
  if (user?.state !== 'active' || project.hidden || project.repositoryAccessLevel === 'disabled')
    return false;
  const isReporter = (project.members[userId ?? -1] ?? 0) >= 20;
  if (isReporter) return true;
  if (project.repositoryAccessLevel === 'private') return false;
  return project.visibility === 'public' || (project.visibility === 'internal' && user.external === false);
}

const isVisible = ({ userId, scope }: Person, repository: MarkedRepository): boolean =>
  mayRead(userId, repository) && isInScope(scope, repository);

/** A change at GitLab, as somebody makes it at any time. */
const randomChange = fc.record({
  which: fc.nat(11),
  userId: fc.constantFrom(...USERS),
  level: fc.constantFrom(0, 5, 10, 15, 20, 30, 40, 50),
  what: fc.constantFrom('member', 'member', 'member', 'visibility', 'feature', 'user', 'hidden'),
  visibility: fc.constantFrom('private', 'private', 'internal', 'public' as const),
  feature: fc.constantFrom('enabled', 'enabled', 'private', 'disabled' as const),
  state: fc.constantFrom('active', 'active', 'active', 'blocked' as const),
  external: fc.constantFrom(true, false, undefined),
  hidden: fc.boolean(),
});

function apply(change: Parameters<Parameters<typeof randomChange.map>[0]>[0]): void {
  const project = projects.get(world.repositories[change.which]!.id)!;
  const { userId, level } = change;
  if (change.what === 'member') project.members = { ...project.members, [userId]: level };
  if (change.what === 'visibility') project.visibility = change.visibility;
  if (change.what === 'feature') project.repositoryAccessLevel = change.feature;
  if (change.what === 'hidden') project.hidden = change.hidden;
  if (change.what === 'user')
    gitlab.users.set(userId, {
      state: change.state,
      ...(change.external !== undefined && { external: change.external }),
    });
}

/** Everybody is known, and is a member of about half of the projects. */
function settle(): void {
  for (const [index, userId] of USERS.entries()) {
    gitlab.users.set(userId, { state: 'active' });
    for (const [place, project] of [...projects.values()].entries()) {
      project.hidden = false;
      project.visibility = 'private';
      project.repositoryAccessLevel = 'enabled';
      project.members = { ...project.members, [userId]: (place + index) % 2 === 0 ? 30 : 0 };
    }
  }
}

const totalFor = async ({ token }: Person, path = '/api/v1/repositories?limit=1'): Promise<unknown> => {
  const { all } = await answerTo(api.url, { method: 'GET', path }, token);
  return /"total":(\d+)/.exec(all)?.[1];
};

describe('people whose rights GitLab decides', () => {
  it('count exactly the repositories that they may read', async () => {
    settle();
    const [person] = people;
    const own = world.repositories.filter((repository) => isVisible(person!, repository));
    expect(own.length).toBeGreaterThan(0);
    expect(await totalFor(person!)).toBe(String(own.length));
    expect(await totalFor(person!, '/api/v1/executions?limit=1')).toBe(String(own.length * 3));
    const search = {
      method: 'POST',
      path: '/api/v1/search',
      body: '{"query":"example of a value","limit":50}',
    };
    const { all } = await answerTo(api.url, search, person!.token);
    const found = world.repositories.filter(({ marker }) => all.includes(marker));
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((repository) => !own.includes(repository))).toEqual([]);
  });

  it('see nothing while GitLab does not answer, and again when it does', async () => {
    settle();
    const [person] = people;
    const own = world.repositories.filter((repository) => isVisible(person!, repository)).length;
    gitlab.faults.add({ url: /\/members\/all\//, effect: { kind: 'status', status: 500 } });
    expect(await totalFor(person!)).toBe('0');
    gitlab.faults.clear();
    gitlab.faults.add({ url: /\/users\//, effect: { kind: 'status', status: 500 } });
    expect(await totalFor(person!)).toBe('0');
    gitlab.faults.clear();
    expect(await totalFor(person!)).toBe(String(own));
  });

  it('see nothing without a number at GitLab, as one that GitLab does not know, and when they are blocked', async () => {
    settle();
    expect(await totalFor(await signIn(null, null))).toBe('0');
    expect(await totalFor(await signIn(UNKNOWN_USER, null))).toBe('0');
    gitlab.users.set(USERS[0]!, { state: 'blocked' });
    expect(await totalFor(people[0]!)).toBe('0');
  });

  it('see no repository of another host, whose numbers are of other people', async () => {
    settle();
    const [person] = people;
    const own = world.repositories.filter((repository) => isVisible(person!, repository));
    await api.database.query(`UPDATE repositories SET base_url = 'https://other.example' WHERE id = $1`, [
      own[0]!.id,
    ]);
    expect(await totalFor(person!)).toBe(String(own.length - 1));
    await api.database.query('UPDATE repositories SET base_url = $2 WHERE id = $1', [own[0]!.id, gitlab.url]);
  });

  it('are limited with a JSON web token too, by the claim with their number', async () => {
    settle();
    const own = world.repositories.filter((repository) => mayRead(USERS[1]!, repository)).length;
    const tokenOf = (gitlabClaim: unknown) =>
      issuer.sign({ sub: 'b', roles: ['admin'], gitlab: { id: gitlabClaim } });
    const person = async (claim: unknown): Promise<Person> => ({
      token: await tokenOf(claim),
      scope: null,
      userId: null,
    });
    expect(await totalFor(await person(USERS[1]))).toBe(String(own));
    expect(await totalFor(await person(String(USERS[1])))).toBe(String(own));
    for (const wrong of [undefined, '', '0', '-1', '1e3', `${USERS[1]} OR 1=1`, ['x']])
      expect([wrong, await totalFor(await person(wrong))]).toEqual([wrong, '0']);
  });

  it('cannot register a project or reach what is about the whole installation, also as admin', async () => {
    settle();
    const admin = await signIn(USERS[0]!, null, 'admin');
    const body = JSON.stringify({ project_path: 'group/another' });
    for (const call of [
      { method: 'POST', path: '/api/v1/repositories', body },
      { method: 'GET', path: '/api/v1/tokens' },
      { method: 'GET', path: '/api/v1/audit' },
    ]) {
      const { status, all } = await answerTo(api.url, call, admin.token);
      expect([call.path, status, all.includes('scope_too_small')]).toEqual([call.path, 403, true]);
    }
  });

  it('leave API tokens as they are', async () => {
    const answer = await fetch(`${api.url}/api/v1/repositories?limit=1`, {
      headers: { Authorization: api.authorization('viewer') },
    });
    expect(await answer.json()).toMatchObject({ total: world.repositories.length });
  });

  it('get nothing else, whatever they request, while memberships change', async () => {
    settle();
    const named = fc
      .constantFrom(...operations)
      .chain((operation) =>
        fc.tuple(requestTo(operation, world.repositories, schemas), fc.constant(operation.name)),
      );
    const toolCall = fc.tuple(toolCallTo(world.repositories), fc.constant('a tool of agents'));
    const randomStep = fc.tuple(
      fc.oneof({ weight: 9, arbitrary: named }, { weight: 1, arbitrary: toolCall }),
      fc.constantFrom(...people),
      randomChange,
    );
    const seen = { inside: 0, accepted: 0, hidden: 0 };
    for (const [[call, name], person, change] of fc.sample(randomStep, { numRuns: REQUESTS, seed: SEED })) {
      apply(change);
      const outside = world.repositories.filter((repository) => !isVisible(person, repository));
      const { status, all } = await answerTo(api.url, call, person.token);
      const leaks = leaksIn(all, outside, call);
      const facts = { name, call, userId: person.userId, scope: person.scope };
      expect({ ...facts, leaks }).toEqual({ ...facts, leaks: [] });
      const isError = status >= 500 && status !== 502 && status !== 503;
      expect({ ...facts, status, isError }).toMatchObject({ isError: false });
      if (
        world.repositories.some(
          (repository) => isVisible(person, repository) && all.includes(repository.marker),
        )
      )
        seen.inside += 1;
      if (status < 300) seen.accepted += 1;
      if (status === 404) seen.hidden += 1;
    }
    // Otherwise the requests would prove nothing.
    expect(seen.inside).toBeGreaterThan(REQUESTS / 40);
    expect(seen.accepted).toBeGreaterThan(REQUESTS / 10);
    expect(seen.hidden).toBeGreaterThan(REQUESTS / 20);
  }, 3_600_000);
});
