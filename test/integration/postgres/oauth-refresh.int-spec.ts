import { setTimeout as sleep } from 'node:timers/promises';
import { connectDatabase, type Database, type CredentialStore } from '@adapters/postgres';
import { type TokenRefresher } from '@core/domain';
import { type GitLabStandIn } from '@devkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { silentLogger } from '../../support/silent-logger.js';
import { startTcpProxy } from '../../support/tcp-proxy.js';
import {
  type CredentialWorld,
  newOAuth,
  openCredentialWorld,
  refresher,
  signal,
} from './credential-world.js';

let world: CredentialWorld;
let gitlab: GitLabStandIn;
let credentials: CredentialStore;
beforeAll(async () => {
  world = await openCredentialWorld();
  ({ gitlab } = world);
  credentials = world.open();
});
afterEach(() => world.clear());
afterAll(() => world.close());

/** A stored grant whose access token has expired, unless `expiresAt` says otherwise. */
async function add(grant = gitlab.grantOAuth('app'), expiresAt?: Date) {
  return credentials.create(newOAuth(gitlab.url, grant, expiresAt));
}

function countReads(db: Database): { db: Database; reads: () => number } {
  let reads = 0;
  const first: Database['first'] = async (...call) => {
    const row = await db.first(...call);
    reads += 1;
    return row as never;
  };
  return { db: Object.assign(Object.create(db) as Database, { first }), reads: () => reads };
}

describe('an OAuth token', () => {
  it('is returned unchanged while it is valid', async () => {
    const grant = gitlab.grantOAuth('app');
    const { id } = await add(grant, grant.expiresAt);
    expect(await credentials.tokenFor(id, signal())).toEqual({
      token: grant.accessToken,
      baseUrl: gitlab.url,
    });
    expect(world.refreshes()).toEqual([]);
  });

  it('is refreshed once when eight pods request it at the same time, and all get the new one', async () => {
    const { id } = await add();
    const pods: Database[] = [];
    for (let pod = 0; pod < 8; pod += 1) {
      pods.push(await connectDatabase({ url: world.stores.url, poolSize: 1, logger: silentLogger }));
    }
    gitlab.faults.add({ url: /^\/oauth/, effect: { kind: 'drip', chunkBytes: 60, everyMs: 50 } });
    try {
      const stores = pods.map((db) => world.open({ db }));
      const asking = stores.flatMap((store) => [1, 2, 3].map(() => store.tokenFor(id, signal())));
      const tokens = new Set((await Promise.all(asking)).map(({ token }) => token));
      expect(tokens.size).toBe(1);
      for (const token of tokens) expect(await world.isAccepted(token)).toBe(true);
      expect(world.refreshes()).toHaveLength(1);
    } finally {
      for (const db of pods) await db.close();
    }
  });

  it('is refreshed with the latest refresh token, and returned even with a short lifetime', async () => {
    gitlab.settings.oauth.accessTokenSeconds = 20;
    const { id } = await add();
    const tokens: string[] = [];
    for (let round = 1; round <= 3; round += 1) {
      tokens.push((await credentials.tokenFor(id, signal())).token);
      expect(world.refreshes()).toHaveLength(round);
    }
    gitlab.settings.oauth.accessTokenSeconds = 7200;
    expect(new Set(tokens).size).toBe(3);
    expect(await world.isAccepted(tokens[2] ?? '')).toBe(true);
    expect(await world.isAccepted(tokens[1] ?? '')).toBe(false);
  });

  it('is refreshed later when a refresh fails temporarily', async () => {
    const { id } = await add();
    gitlab.faults.add({ url: /^\/oauth/, times: 1, effect: { kind: 'status', status: 502 } });
    await expect(credentials.tokenFor(id, signal())).rejects.toMatchObject({ code: 'source_unavailable' });
    expect(await credentials.tokenFor(id, signal())).toMatchObject({ baseUrl: gitlab.url });
    expect(world.refreshes().map(({ status }) => status)).toEqual([502, 200]);
  });

  it('is not refreshed again by callers that waited for a failed refresh', async () => {
    const { id } = await add();
    const gate = newGate();
    const failing: TokenRefresher = {
      async refresh(grant, limit) {
        await gate.opened;
        return refresher.refresh(grant, limit);
      },
    };
    gitlab.faults.add({ url: /^\/oauth/, effect: { kind: 'status', status: 503 } });
    const refreshing = world.open({ refresher: failing }).tokenFor(id, signal());
    await untilClaimed();
    const callers = [1, 2, 3].map(() => countReads(world.stores.db));
    const waiting = Promise.allSettled(callers.map(({ db }) => world.open({ db }).tokenFor(id, signal())));
    // Each caller has seen the claim before the refresh fails.
    await eventually(() => callers.every(({ reads }) => reads() > 0));
    gate.open();
    await expect(refreshing).rejects.toMatchObject({ code: 'source_unavailable' });
    for (const answer of await waiting) {
      expect(answer).toMatchObject({ reason: { kind: 'temporary', code: 'credential_refresh_failed' } });
    }
    expect(world.refreshes()).toHaveLength(1);
  });

  it('needs a login when its refresh token is refused, is not retried, and works after the login', async () => {
    const grant = gitlab.grantOAuth('app');
    const { id, name } = await add({ ...grant, refreshToken: 'rt-used-up' });
    for (let round = 0; round < 2; round += 1) {
      await expect(credentials.tokenFor(id, signal())).rejects.toMatchObject({
        kind: 'unauthorized',
        code: 'credential_needs_login',
        message: expect.stringContaining(`/api/v1/credentials/${id}`) as unknown,
      });
    }
    expect(world.refreshes()).toHaveLength(1);
    expect(await credentials.find(id)).toMatchObject({ name, needsLoginSince: expect.any(Date) as unknown });
    const oauth = { ...grant, expiresAt: new Date(0) };
    expect(await credentials.replaceSecret(id, { kind: 'oauth', oauth })).toMatchObject({
      needsLoginSince: null,
    });
    expect(await world.isAccepted((await credentials.tokenFor(id, signal())).token)).toBe(true);
  });

  it('needs a login after a pod ended before it stored the new token, and the error says so', async () => {
    const { id } = await add();
    const received = newGate();
    const dying: TokenRefresher = {
      async refresh(grant, limit) {
        await refresher.refresh(grant, limit);
        received.open();
        return new Promise(() => undefined);
      },
    };
    void world.open({ refresher: dying }).tokenFor(id, signal());
    await received.opened;
    // Other pods wait while that pod may be alive, then refresh: GitLab may never have answered.
    await expect(world.open({ claimSeconds: 1 }).tokenFor(id, signal())).rejects.toMatchObject({
      code: 'credential_needs_login',
      message: expect.stringContaining('A pod ended after it sent the refresh token') as unknown,
    });
    expect(world.refreshes()).toHaveLength(2);
  });

  it('is stored even when it arrives late, and clears the request for a login', async () => {
    const { id } = await add();
    const [received, gate] = [newGate(), newGate()];
    const slow: TokenRefresher = {
      async refresh(grant, limit) {
        const tokens = await refresher.refresh(grant, limit);
        received.open();
        await gate.opened;
        return tokens;
      },
    };
    const late = world.open({ refresher: slow }).tokenFor(id, signal());
    await received.opened;
    await expect(world.open({ claimSeconds: 0 }).tokenFor(id, signal())).rejects.toMatchObject({
      code: 'credential_needs_login',
    });
    gate.open();
    const { token } = await late;
    expect(await credentials.tokenFor(id, signal())).toMatchObject({ token });
    expect(await world.isAccepted(token)).toBe(true);
    expect((await credentials.find(id))?.needsLoginSince).toBeNull();
  });

  it('is stored although its caller aborted, and close waits for that', async () => {
    const { id } = await add();
    gitlab.faults.add({ url: /^\/oauth/, effect: { kind: 'drip', chunkBytes: 60, everyMs: 50 } });
    const leaving = world.open();
    const caller = new AbortController();
    const asked = leaving.tokenFor(id, caller.signal);
    while (world.refreshes().length === 0) await sleep(10);
    caller.abort();
    await expect(asked).rejects.toMatchObject({ kind: 'cancelled' });
    await leaving.close();
    expect(await world.isAccepted((await credentials.tokenFor(id, signal())).token)).toBe(true);
    expect(world.refreshes()).toHaveLength(1);
  });

  it('is stored after a database outage at the moment of the refresh', async () => {
    const { id } = await add();
    const proxy = await startTcpProxy({ port: Number(new URL(world.stores.url).port || 5432) });
    const url = new URL(world.stores.url);
    url.host = `${proxy.host}:${proxy.port}`;
    const db = await connectDatabase({ url: url.href, poolSize: 1, logger: silentLogger });
    const unlucky: TokenRefresher = {
      async refresh(grant, limit) {
        const tokens = await refresher.refresh(grant, limit);
        proxy.refuse();
        setTimeout(() => proxy.admit(), 700);
        return tokens;
      },
    };
    try {
      const { token } = await world.open({ db, refresher: unlucky }).tokenFor(id, signal());
      expect(await world.isAccepted(token)).toBe(true);
      expect(world.refreshes()).toHaveLength(1);
      expect(world.logger.lines.join()).toContain('refreshed OAuth token not stored; trying again');
    } finally {
      await db.close();
      await proxy.close();
    }
  });

  it('never shows a secret in a log', () => {
    expect(world.logger.lines.join()).not.toMatch(/rt-|at-|gloas-|glpat-/);
    expect(world.logger.lines.join()).toContain('OAuth token refreshed');
  });
});

async function untilClaimed(): Promise<void> {
  for (;;) {
    const rows = await world.stores.db.query('SELECT 1 FROM credentials WHERE refresh_claim IS NOT NULL');
    if (rows.length > 0) return;
    await sleep(10);
  }
}

function newGate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}
