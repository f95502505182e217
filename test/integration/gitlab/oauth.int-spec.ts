import { inspect } from 'node:util';
import { createGitLabTokenRefresher } from '@adapters/gitlab';
import { type RepotideError, type TokenRefresher } from '@core/domain';
import { type GitLabStandIn, type StandInGrant, startGitLabStandIn } from '@devkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { GitFixture } from './git-fixture.js';
import { failureOf, openSource } from './open-source.js';

const refresher: TokenRefresher = createGitLabTokenRefresher({
  requestTimeoutMs: 1_000,
  userAgent: 'repotide-test',
});
let gitlab: GitLabStandIn;
beforeAll(async () => {
  gitlab = await startGitLabStandIn();
});
afterEach(() => gitlab.faults.clear());
afterAll(() => gitlab.stop());

const signal = () => new AbortController().signal;
const refresh = (grant: StandInGrant, baseUrl = gitlab.url) =>
  refresher.refresh({ baseUrl, ...grant }, signal());

describe('the refresh of a token', () => {
  it('a refresh returns new tokens and invalidates the old ones', async () => {
    const grant = gitlab.grantOAuth('app');
    const tokens = await refresh(grant);
    expect(tokens).toEqual({
      accessToken: expect.any(String) as unknown,
      refreshToken: expect.any(String) as unknown,
      expiresInSeconds: 7200,
    });
    expect(await failureOf(refresh(grant))).toMatchObject({
      kind: 'unauthorized',
      code: 'oauth_grant_rejected',
    });
    const next = await refresh({ ...grant, refreshToken: tokens.refreshToken });
    expect(new Set([grant.accessToken, tokens.accessToken, next.accessToken]).size).toBe(3);
  });

  it.each<[string, Parameters<GitLabStandIn['faults']['add']>[0]['effect'], string, string]>([
    ['a busy server', { kind: 'status', status: 502 }, 'temporary', 'source_unavailable'],
    [
      'a rate limit',
      { kind: 'status', status: 429, retryAfterSeconds: 9 },
      'rate_limited',
      'source_rate_limited',
    ],
    ['a broken connection', { kind: 'cut', afterBytes: 5 }, 'temporary', 'source_unavailable'],
    ['a stalled response', { kind: 'stall' }, 'temporary', 'source_unavailable'],
    ['a login page', { kind: 'status', status: 200, body: '<html>' }, 'internal', 'source_answer_invalid'],
    [
      'an unexpected body',
      { kind: 'status', status: 200, body: { token: 1 } },
      'internal',
      'source_answer_invalid',
    ],
    ['a redirect', { kind: 'redirect', to: 'http://127.0.0.1:9' }, 'invalid', 'oauth_request_refused'],
    [
      'a refused request',
      { kind: 'status', status: 400, body: { error: 'invalid_request' } },
      'invalid',
      'oauth_request_refused',
    ],
  ])(
    'a refresh that meets %s fails with the kind of the error, and is not retried',
    async (_what, effect, kind, code) => {
      gitlab.resetLog();
      gitlab.faults.add({ url: /^\/oauth\/token$/, effect });
      expect(await failureOf(refresh(gitlab.grantOAuth('app')))).toMatchObject({ kind, code });
      expect(gitlab.requests).toHaveLength(1);
    },
  );

  it('a refresh distinguishes a wrong application from a used token', async () => {
    const grant = { ...gitlab.grantOAuth('app'), clientSecret: 'not-it' };
    expect(await failureOf(refresh(grant))).toMatchObject({ code: 'oauth_client_rejected' });
  });

  it('a failed refresh shows no secret, even when the server repeats it', async () => {
    const grant = gitlab.grantOAuth('app');
    const echo = { error: 'invalid_grant', error_description: `${grant.refreshToken} ${grant.clientSecret}` };
    const failures: RepotideError[] = [];
    for (const [status, body] of [
      [400, echo],
      [500, echo],
      [403, Object.values(echo).join(' ')],
      [200, { access_token: grant.accessToken }],
    ] as const) {
      gitlab.faults.clear();
      gitlab.faults.add({ url: /^\/oauth/, effect: { kind: 'status', status, body } });
      failures.push(await failureOf(refresh(grant)));
    }
    const shown = inspect(failures, { depth: 10, showHidden: true });
    for (const secret of Object.values(grant).filter((value) => typeof value === 'string')) {
      expect(secret === grant.clientId || !shown.includes(secret)).toBe(true);
    }
    expect(JSON.stringify(gitlab.requests)).not.toContain(grant.refreshToken);
  });
});

describe('a source with a stored credential', () => {
  let fixture: GitFixture;
  let projectId: number;
  beforeAll(async () => {
    fixture = new GitFixture();
    fixture.write('a.txt', 'a');
    fixture.stage();
    fixture.commit('first');
    ({ id: projectId } = await gitlab.addProject({
      path: 'group/oauth',
      gitDir: fixture.dir,
    }));
  });
  afterAll(() => fixture.remove());

  /** A source whose grant is refreshed when its token is requested again, and the number of refreshes. */
  async function openOver(grant: StandInGrant) {
    let token = grant.accessToken;
    let asked = 0;
    const opened = await openSource(gitlab.url, {
      credentialId: 'c1',
      tokenFor: async () => {
        asked += 1;
        return { token, baseUrl: `${gitlab.url}/` };
      },
    });
    const refreshElsewhere = async (): Promise<void> => {
      token = (await refresh(grant)).accessToken;
    };
    return { ...opened, refreshElsewhere, asked: () => asked };
  }

  it('a source continues with the new token after another pod has refreshed the old one', async () => {
    const { source, waits, refreshElsewhere, asked } = await openOver(gitlab.grantOAuth('app'));
    const head = await source.headOf(projectId, 'main', signal());
    await refreshElsewhere();
    const heads = await Promise.all([1, 2, 3, 4].map(() => source.headOf(projectId, 'main', signal())));
    expect(heads).toEqual([head, head, head, head]);
    expect(asked()).toBe(2);
    expect(waits).toEqual([]);
  });

  it('a source fails as unauthorized when there is no other token', async () => {
    const { source } = await openOver(gitlab.grantOAuth('ended'));
    gitlab.endToken('ended', 'revoked');
    expect(await failureOf(source.headOf(projectId, 'main', signal()))).toMatchObject({
      kind: 'unauthorized',
      code: 'source_token_rejected',
    });
  });

  it('a stored credential is not sent to another host', async () => {
    const tokenFor = async () => ({ token: 'glpat-x', baseUrl: 'https://gitlab.example.com' });
    gitlab.resetLog();
    const failure = await failureOf(openSource(gitlab.url, { credentialId: 'c1', tokenFor }));
    expect(failure).toMatchObject({ kind: 'invalid', code: 'credential_foreign_host' });
    expect(failure.message).not.toContain('glpat-x');
    expect(gitlab.requests).toEqual([]);
  });
});
