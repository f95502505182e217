import { ApiTokens, PodRegistry } from '@adapters/postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openStores, type Stores } from './fixtures.js';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

describe('the token registry', () => {
  let tokens: ApiTokens;
  let serial = 0;

  beforeEach(async () => {
    tokens = new ApiTokens(stores.db);
    await stores.db.query('DELETE FROM api_tokens');
  });

  const make = (role: 'viewer' | 'admin', expiresAt: Date | null = null) => {
    serial += 1;
    return tokens.create({
      name: `token-${serial}`,
      role,
      scope: null,
      tokenHash: `hash-${serial}`,
      expiresAt,
      createdBy: 'ann',
    });
  };

  it('keeps one administrator when all revoke each other at once', async () => {
    const made = await Promise.all(Array.from({ length: 6 }, () => make('admin')));
    const ends = await Promise.allSettled(made.map(({ id }) => tokens.revoke(id)));
    expect(ends.filter(({ status }) => status === 'rejected')).toEqual([
      expect.objectContaining({ reason: expect.objectContaining({ code: 'last_admin_token' }) }),
    ]);
    expect(await tokens.hasAdmin()).toBe(true);
  });

  it('does not count expired or revoked administrators, and lets them be revoked', async () => {
    const valid = await make('admin');
    const expired = await make('admin', new Date(Date.now() - 1000));
    await expect(tokens.revoke(valid.id)).rejects.toMatchObject({ code: 'last_admin_token' });
    expect((await tokens.revoke(expired.id)).revokedAt).toBeInstanceOf(Date);
    expect((await tokens.revoke(expired.id)).revokedAt).toBeInstanceOf(Date);
    await expect(tokens.revoke('no-uuid')).rejects.toMatchObject({ code: 'token_not_found' });
  });

  it('lists all tokens, newest first, without their hashes', async () => {
    const first = await make('viewer');
    const second = await make('admin');
    const { items, total } = await tokens.list({ limit: 1, offset: 0 });
    expect([items, total]).toEqual([[second], 2]);
    expect(await tokens.list({ limit: 1, offset: 1 })).toEqual({ items: [first], total: 2 });
    expect(JSON.stringify(items)).not.toContain('hash');
  });

  it('records a use at most once a minute', async () => {
    const { id } = await make('viewer');
    const lastUse = async () => (await tokens.list({ limit: 1, offset: 0 })).items[0]?.lastUsedAt;
    await tokens.recordUse(id);
    const first = await lastUse();
    await tokens.recordUse(id);
    expect(await lastUse()).toEqual(first);
    await stores.db.query(`UPDATE api_tokens SET last_used_at = last_used_at - interval '61 s'`);
    await tokens.recordUse(id);
    expect((await lastUse())!.getTime()).toBeGreaterThanOrEqual(first!.getTime());
  });
});

describe('the pod registry', () => {
  it('keeps each start of a pod as a row, and removes those silent for a day', async () => {
    const pods = new PodRegistry(stores.db);
    const pod = { podName: 'pod-1', roles: ['api'], version: '1.0.0', mode: 'standalone', modelId: null };
    const [first, second] = ['0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11', '0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c12'];
    await pods.showLife({ ...pod, bootId: first });
    await pods.showLife({ ...pod, bootId: first });
    await stores.db.query(`UPDATE pods SET seen_at = seen_at - interval '2 hours'`);
    await pods.showLife({ ...pod, bootId: second });
    const seen = await pods.list();
    expect(seen.map(({ bootId, secondsSinceSeen }) => [bootId, secondsSinceSeen > 7000])).toEqual([
      [first, true],
      [second, false],
    ]);
    await stores.db.query(`UPDATE pods SET seen_at = seen_at - interval '23 hours' WHERE boot_id = $1`, [
      first,
    ]);
    await pods.showLife({ ...pod, bootId: second });
    expect((await pods.list()).map(({ bootId }) => bootId)).toEqual([second]);
    await pods.leave(second);
    await pods.leave(second);
    expect(await pods.list()).toEqual([]);
  });
});
