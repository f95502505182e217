import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CHROMIUM_MISSING, findChromium, startChromium } from '../support/chromium.js';
import { createInstallation, type Installation, type Service } from '../support/installation.js';
import { type PrefixProxy, startPrefixProxy } from '../support/prefix-proxy.js';
import { type SignInProvider, startSignInProvider } from '../support/sign-in-provider.js';

const chromium = await findChromium();

let provider: SignInProvider;
let proxy: PrefixProxy;
let installation: Installation;
let pods: Service[];

beforeAll(async () => {
  provider = await startSignInProvider();
  proxy = await startPrefixProxy('/code');
  provider.redirectUri = `${proxy.url}/auth/callback`;
  installation = await createInstallation({
    // GitLab itself is the provider.
    GITLAB_URL: provider.url,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: provider.clientSecret,
    OIDC_ROLE_CLAIM: 'groups_direct',
    OIDC_ROLE_MAP: 'platform=admin,web=operator',
    OIDC_DEFAULT_ROLE: 'viewer',
    OIDC_SCOPE_CLAIM: 'groups_direct',
    OIDC_SCOPE_MAP: 'web=web,platform=**',
    PUBLIC_URL: proxy.url,
    SESSION_IDLE_MINUTES: '30',
    SESSION_MAX_HOURS: '2',
  });
  pods = [await installation.serve({ POD_NAME: 'pod-a' }), await installation.serve({ POD_NAME: 'pod-b' })];
  proxy.targets = pods.map(({ url }) => url);
}, 120_000);
beforeEach(() => {
  provider.person.claims = { sub: '7', nickname: 'ann' };
  provider.person.userInfo = { groups_direct: ['web'] };
  provider.fault = 'none';
});
afterAll(async () => {
  await installation?.remove();
  await proxy?.close();
  await provider?.close();
});

/** A browser without JavaScript: keeps cookies, and follows no redirect by itself. */
class CookieClient {
  readonly cookies = new Map<string, string>();
  lastSetCookie: string[] = [];

  async send(url: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = new Headers(init.headers);
    if (cookie !== '') headers.set('Cookie', cookie);
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' });
    this.lastSetCookie = answer.headers.getSetCookie();
    for (const set of this.lastSetCookie) {
      const [name = '', value = ''] = set.split(';', 1)[0]!.split('=');
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return answer;
  }

  /** @returns the address that the provider sends the browser back to. */
  async begin(): Promise<string> {
    const begun = await this.send(`${proxy.url}/auth/sign-in`);
    const page = await (await fetch(begun.headers.get('location')!)).text();
    return /href="([^"]*)"/.exec(page)![1]!.replaceAll('&amp;', '&');
  }

  async signIn(): Promise<Response> {
    return this.send(await this.begin());
  }

  identity(headers: Record<string, string> = {}): Promise<Response> {
    return this.send(`${proxy.url}/api/v1/identity`, { headers });
  }
}

const problemOf = (answer: Response): string | null =>
  /problem=(\w+)/.exec(answer.headers.get('location') ?? '')?.[1] ?? null;

describe('the sign-in of a person', () => {
  it('begins at one pod, ends at another one, and gives the role and scope of the claims', async () => {
    const client = new CookieClient();
    const back = await client.signIn();
    expect([back.status, back.headers.get('location')]).toEqual([302, `${proxy.url}/`]);
    for (let turn = 0; turn < pods.length; turn += 1) {
      const answer = await client.identity();
      expect([answer.status, await answer.json()]).toEqual([
        200,
        { name: 'ann', role: 'operator', scope: ['web'] },
      ]);
    }
    expect(provider.refusals).toEqual([]);
  });

  it('keeps its cookies from scripts and from other sites', async () => {
    const client = new CookieClient();
    const address = await client.begin();
    expect(client.lastSetCookie).toEqual([
      expect.stringMatching(/^repotide-sign-in=[^;]+; Max-Age=600; Path=\/code; .*HttpOnly; SameSite=Lax$/),
    ]);
    await client.send(address);
    const session = client.lastSetCookie.find((each) => each.startsWith('repotide-session='));
    expect(session).toMatch(/; Max-Age=7200; Path=\/code; .*HttpOnly; SameSite=Strict$/);
    expect([...client.cookies.keys()]).toEqual(['repotide-session']);
  });

  it('gives the default role to a person without a group that is named, and nothing to see', async () => {
    provider.person.userInfo = { groups_direct: ['unknown'] };
    const client = new CookieClient();
    await client.signIn();
    expect(await (await client.identity()).json()).toMatchObject({ role: 'viewer', scope: [] });
  });

  it('stores only the hash of the cookie, and is in the audit log', async () => {
    const client = new CookieClient();
    await client.signIn();
    const cookie = client.cookies.get('repotide-session')!;
    const audit = await pods[0]!.get<{ items: object[] }>('/api/v1/audit?action=session.create&limit=1');
    expect(audit.items).toMatchObject([{ actor_id: 'oidc:7', actor_name: 'ann', outcome: 'succeeded' }]);
    const rows = await installation.withDatabase((db) =>
      db.query('SELECT s::text AS row FROM user_sessions s'),
    );
    expect(JSON.stringify(rows) + JSON.stringify(audit)).not.toContain(cookie);
    expect(pods.map(({ command }) => command.stdout() + command.stderr()).join('')).not.toContain(cookie);
  });

  it.each(['nonce', 'issuer', 'audience', 'signature', 'expired'] as const)(
    'is refused with an ID token whose %s is wrong',
    async (fault) => {
      provider.fault = fault;
      const client = new CookieClient();
      const answer = await client.signIn();
      expect([problemOf(answer), client.cookies.size]).toEqual(['sign_in_refused', 0]);
    },
  );

  it('is refused in another browser, with another state, and for a second time', async () => {
    const [begun, other] = [new CookieClient(), new CookieClient()];
    const address = await begun.begin();
    // What an attacker would make somebody else open.
    expect(problemOf(await other.send(address))).toBe('sign_in_refused');
    const foreignState = address.replace(/state=[^&]*/, 'state=of-another');
    expect(problemOf(await begun.send(foreignState))).toBe('sign_in_refused');
    const again = await begun.begin();
    const kept = new Map(begun.cookies);
    expect(problemOf(await begun.send(again))).toBeNull();
    for (const [name, value] of kept) begun.cookies.set(name, value);
    expect(problemOf(await begun.send(again))).toBe('sign_in_refused');
    expect(provider.refusals.at(-1)).toBe('token code');
  });

  it('is refused when the subject of the person has a control character', async () => {
    provider.person.claims = { sub: 'a\u0000b', nickname: 'ann' };
    const client = new CookieClient();
    expect([problemOf(await client.signIn()), client.cookies.size]).toEqual(['sign_in_refused', 0]);
  });

  it('is refused when the provider refuses the person', async () => {
    const client = new CookieClient();
    const { searchParams } = new URL(await client.begin());
    const address = `${proxy.url}/auth/callback?error=access_denied&state=${searchParams.get('state')}`;
    expect(problemOf(await client.send(address))).toBe('sign_in_refused');
  });

  it('cannot use the verifier of another attempt', async () => {
    const [one, two] = [new CookieClient(), new CookieClient()];
    const [first] = [await one.begin(), await two.begin()];
    const [state, nonce] = one.cookies.get('repotide-sign-in')!.split('.');
    const [, , verifier] = two.cookies.get('repotide-sign-in')!.split('.');
    one.cookies.set('repotide-sign-in', [state, nonce, verifier].join('.'));
    expect(problemOf(await one.send(first))).toBe('sign_in_refused');
    expect(provider.refusals.at(-1)).toBe('token verifier');
  });
});

describe('the session of a person', () => {
  const age = (column: string, minutes: number) =>
    installation.withDatabase((db) =>
      db.query(`UPDATE user_sessions SET ${column} = ${column} - $1 * interval '1 minute'`, [minutes]),
    );

  it('ends after the sign-out at every pod, also for a copy of the cookie', async () => {
    const client = new CookieClient();
    await client.signIn();
    const copy = new CookieClient();
    for (const [name, value] of client.cookies) copy.cookies.set(name, value);
    const headers = { 'Sec-Fetch-Site': 'same-origin' };
    const answer = await client.send(`${proxy.url}/auth/sign-out`, { method: 'POST', headers });
    expect([answer.status, client.cookies.size]).toEqual([204, 0]);
    for (let turn = 0; turn < pods.length; turn += 1) expect((await copy.identity()).status).toBe(401);
    expect((await client.send(`${proxy.url}/auth/sign-out`, { method: 'POST', headers })).status).toBe(204);
  });

  it.each([
    ['is not used for SESSION_IDLE_MINUTES', 'last_used_at', 31, 401],
    ['is used before that', 'last_used_at', 29, 200],
    ['reaches SESSION_MAX_HOURS, however often it is used', 'expires_at', 121, 401],
  ])('when it %s answers as expected', async (_what, column, minutes, status) => {
    const client = new CookieClient();
    await client.signIn();
    await age(column, minutes);
    expect((await client.identity()).status).toBe(status);
  });

  it('lives on while it is used', async () => {
    const client = new CookieClient();
    await client.signIn();
    for (let round = 0; round < 3; round += 1) {
      await age('last_used_at', 20);
      expect((await client.identity()).status).toBe(200);
    }
  });

  it.each([
    ['a GET of another site', 'GET', { 'Sec-Fetch-Site': 'cross-site' }, 403],
    ['a GET of a sibling host', 'GET', { 'Sec-Fetch-Site': 'same-site' }, 403],
    ['a GET of the page', 'GET', { 'Sec-Fetch-Site': 'same-origin' }, 200],
    ['a GET from the address bar', 'GET', { 'Sec-Fetch-Site': 'none' }, 200],
    [
      'a POST of another site',
      'POST',
      { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' },
      403,
    ],
    ['a POST of an old browser of another site', 'POST', { Origin: 'https://evil.example' }, 403],
    ['a POST of a sandboxed page', 'POST', { Origin: 'null' }, 403],
    ['a POST without a word about its origin', 'POST', {}, 403],
  ])('answers %s with the cookie as it should', async (_what, method, headers, status) => {
    const client = new CookieClient();
    await client.signIn();
    const path = method === 'GET' ? '/api/v1/repositories' : '/api/v1/search';
    const body = JSON.stringify({ query: 'lease' });
    const init = { method, headers: { ...headers, 'Content-Type': 'application/json' } };
    const answer = await client.send(proxy.url + path, method === 'GET' ? init : { ...init, body });
    const { code } = (await answer.json()) as { code?: string };
    expect([answer.status, code]).toEqual([status, status === 403 ? 'cross_site_request' : undefined]);
  });

  it('accepts a POST of its own page, which the scope of the person limits', async () => {
    const client = new CookieClient();
    await client.signIn();
    const headers = { Origin: new URL(proxy.url).origin, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ query: 'lease' });
    const answer = await client.send(`${proxy.url}/api/v1/search`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    expect((await client.send(`${proxy.url}/api/v1/tokens`)).status).toBe(403);
  });

  it('is not what a made-up cookie or the cookie as an API token of another service gives', async () => {
    const client = new CookieClient();
    client.cookies.set('repotide-session', 'rts_made-up-by-a-client');
    expect((await client.identity()).status).toBe(401);
    client.cookies.set('repotide-session', 'admin-token-of-the-tests');
    expect((await client.identity()).status).toBe(401);
  });
});

if (chromium === null) {
  it.skip(`the sign-in in a browser (${CHROMIUM_MISSING})`, () => undefined);
} else {
  describe('the sign-in in Chromium, below a path prefix', () => {
    it('leads to the provider and back, survives a reload, and ends with the sign-out', async () => {
      const browser = await startChromium(chromium);
      try {
        const context = await browser.newContext();
        const page = await context.newPage();
        await page.goto(`${proxy.url}/`);
        await page.getByRole('link', { name: 'Sign in with GitLab' }).click();
        await page.getByRole('link', { name: 'Continue as ann' }).click();
        await page.getByText('ann · operator').waitFor();
        expect(page.url()).toBe(`${proxy.url}/`);
        expect(await page.evaluate('document.cookie + sessionStorage.length + localStorage.length')).toBe(
          '00',
        );
        await page.reload();
        await page.getByText('ann · operator').waitFor();
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.getByRole('link', { name: 'Sign in with GitLab' }).waitFor();
        await page.reload();
        await page.getByRole('link', { name: 'Sign in with GitLab' }).waitFor();
        expect(await context.cookies()).toEqual([]);
      } finally {
        await browser.close();
      }
    }, 120_000);

    it('explains a refused sign-in in words', async () => {
      const browser = await startChromium(chromium);
      try {
        const page = await browser.newPage();
        provider.fault = 'nonce';
        await page.goto(`${proxy.url}/`);
        await page.getByRole('link', { name: 'Sign in with GitLab' }).click();
        await page.getByRole('link', { name: 'Continue as ann' }).click();
        await page.getByRole('alert').getByText('The sign-in was refused').waitFor();
      } finally {
        await browser.close();
      }
    }, 120_000);
  });
}
