import { ApiTokens } from '@adapters/postgres';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStores, type Stores } from './fixtures.js';

let stores: Stores;
let tokens: ApiTokens;
beforeAll(async () => {
  stores = await openStores();
  tokens = new ApiTokens(stores.db);
});
afterAll(() => stores.close());

describe('the token store', () => {
  it('finds a token by its hash while it is valid', async () => {
    expect(await tokens.hasAdmin()).toBe(false);
    await tokens.ensure({ name: 'ci', role: 'viewer', tokenHash: 'h1' });
    expect(await tokens.findByHash('h1')).toMatchObject({ name: 'ci', role: 'viewer', expiresAt: null });
    expect(await tokens.findByHash('h2')).toBeNull();
    expect(await tokens.hasAdmin()).toBe(false);
  });

  it('updates a token that exists already', async () => {
    await tokens.ensure({ name: 'boot', role: 'viewer', tokenHash: 'h3' });
    const first = await tokens.findByHash('h3');
    await Promise.all([1, 2, 3].map(() => tokens.ensure({ name: 'boot', role: 'admin', tokenHash: 'h3' })));
    expect(await tokens.findByHash('h3')).toEqual({ ...first, role: 'admin' });
    expect(await tokens.hasAdmin()).toBe(true);
  });

  it('has one admin token of the configuration: a changed one replaces the former', async () => {
    await stores.db.query('DELETE FROM api_tokens');
    await tokens.ensure({ name: 'generated', role: 'admin', tokenHash: 'generated' });
    const made = {
      name: 'ops',
      role: 'admin',
      scope: null,
      expiresAt: null,
      createdBy: 'generated',
    } as const;
    await tokens.create({ ...made, tokenHash: 'made' });
    for (const tokenHash of ['first', 'second', 'second', 'first'])
      await tokens.replaceAdmin({ name: 'REPOTIDE_ADMIN_TOKEN', tokenHash });
    for (const [tokenHash, isValid] of [
      ['generated', false],
      ['second', false],
      ['first', true],
      ['made', true],
    ] as const)
      expect([tokenHash, (await tokens.findByHash(tokenHash)) !== null]).toEqual([tokenHash, isValid]);
  });

  it('deletes no token for a configured one that was revoked', async () => {
    await stores.db.query('DELETE FROM api_tokens');
    await tokens.replaceAdmin({ name: 'REPOTIDE_ADMIN_TOKEN', tokenHash: 'old' });
    await stores.db.query('UPDATE api_tokens SET revoked_at = now()');
    await tokens.replaceAdmin({ name: 'REPOTIDE_ADMIN_TOKEN', tokenHash: 'new' });
    await tokens.replaceAdmin({ name: 'REPOTIDE_ADMIN_TOKEN', tokenHash: 'old' });
    expect(await tokens.findByHash('old')).toBeNull();
    expect(await tokens.findByHash('new')).not.toBeNull();
  });

  it.each([
    ['revoked', `revoked_at = now()`],
    ['expired', `expires_at = now() - interval '1 second'`],
  ])('does not find a token that is %s, and ensure does not restore it', async (state, change) => {
    const tokenHash = `hash of a ${state} one`;
    await stores.db.query('DELETE FROM api_tokens');
    await tokens.ensure({ name: state, role: 'admin', tokenHash });
    await stores.db.query(`UPDATE api_tokens SET ${change} WHERE token_hash = $1`, [tokenHash]);
    await tokens.ensure({ name: state, role: 'admin', tokenHash });
    expect(await tokens.findByHash(tokenHash)).toBeNull();
    expect(await tokens.hasAdmin()).toBe(false);
  });
});
