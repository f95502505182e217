import { inspect } from 'node:util';
import { type CredentialStore } from '@adapters/postgres';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type CredentialWorld, newToken, openCredentialWorld, signal } from './credential-world.js';
import { newRepository, type Stores } from './fixtures.js';

const OLD_KEY = 'the key that was used before';
const KEY = 'the key that came after it';

let world: CredentialWorld;
let stores: Stores;
let credentials: CredentialStore;
beforeAll(async () => {
  world = await openCredentialWorld();
  ({ stores } = world);
  credentials = world.open();
});
afterEach(() => world.clear());
afterAll(() => world.close());

describe('a stored credential', () => {
  it('is listed without its secret, and tokenFor returns the token', async () => {
    const created = await credentials.create(newToken('ci'));
    expect(created).toEqual({
      id: expect.any(String) as unknown,
      name: 'ci',
      kind: 'token',
      baseUrl: 'https://gitlab.example.com',
      expiresAt: null,
      needsLoginSince: null,
      repositoryCount: 0,
      revision: 1,
      createdAt: expect.any(Date) as unknown,
      updatedAt: expect.any(Date) as unknown,
    });
    expect(await credentials.list({ limit: 10, offset: 0 })).toEqual({ items: [created], total: 1 });
    expect(await credentials.find(created.id)).toEqual(created);
    expect(await credentials.tokenFor(created.id, signal())).toEqual({
      token: 'glpat-hush-hush',
      baseUrl: 'https://gitlab.example.com',
    });
  });

  it('is encrypted in the database, differently each time', async () => {
    await credentials.create(newToken());
    await credentials.create(newToken());
    const rows = await stores.db.query<{ ciphertext: Buffer; nonce: Buffer }>('SELECT * FROM credentials');
    expect(inspect(rows)).not.toContain('hush');
    for (const { ciphertext } of rows) expect(ciphertext.includes('hush')).toBe(false);
    expect(rows[0]?.nonce.equals(rows[1]?.nonce ?? Buffer.alloc(0))).toBe(false);
  });

  it.each([
    ['another row', `ciphertext = o.ciphertext, nonce = o.nonce, auth_tag = o.auth_tag`],
    ['another host', `base_url = 'https://evil.example.com'`],
    ['another kind', `kind = 'oauth'`],
    ['changed bytes', `ciphertext = set_byte(c.ciphertext, 0, get_byte(c.ciphertext, 0) # 1)`],
  ])('cannot be decrypted with %s', async (_what, change) => {
    const [mine, other] = [await credentials.create(newToken()), await credentials.create(newToken())];
    await stores.db.query(
      `UPDATE credentials c SET ${change} FROM credentials o WHERE c.id = $1 AND o.id = $2`,
      [mine.id, other.id],
    );
    await expect(credentials.tokenFor(mine.id, signal())).rejects.toMatchObject({
      kind: 'invalid',
      code: 'credential_altered',
    });
  });

  it('accepts only one of two concurrent changes of its secret', async () => {
    const { id, revision } = await credentials.create(newToken());
    const tokens = ['glpat-one', 'glpat-two'];
    const outcomes = await Promise.allSettled(
      tokens.map((token) => credentials.replaceSecret(id, { kind: 'token', token }, revision)),
    );
    const lost = outcomes.filter(({ status }) => status === 'rejected');
    expect(lost).toEqual([
      {
        status: 'rejected',
        reason: expect.objectContaining({ kind: 'conflict', code: 'revision_mismatch' }) as unknown,
      },
    ]);
    const winner = tokens[outcomes.findIndex(({ status }) => status === 'fulfilled')];
    expect(await credentials.tokenFor(id, signal())).toMatchObject({ token: winner });
    expect(await credentials.find(id)).toMatchObject({ revision: revision + 1 });
  });

  it('has a unique name', async () => {
    await credentials.create(newToken('ci'));
    await expect(credentials.create(newToken('ci'))).rejects.toMatchObject({
      kind: 'conflict',
      code: 'credential_exists',
    });
  });

  it('cannot be deleted while a live repository uses it', async () => {
    const { id } = await credentials.create(newToken());
    const repository = await stores.repositories.create(
      newRepository({ credentialId: id, projectPath: 'a/b' }),
    );
    expect((await credentials.find(id))?.repositoryCount).toBe(1);
    await expect(credentials.delete(id)).rejects.toMatchObject({
      kind: 'conflict',
      code: 'credential_in_use',
      message: expect.stringContaining('a/b') as unknown,
    });
    await stores.repositories.softDelete(repository.id);
    await credentials.delete(id);
    expect(await credentials.find(id)).toBeNull();
    await expect(credentials.delete(id)).rejects.toMatchObject({
      kind: 'not_found',
      code: 'credential_not_found',
    });
    await expect(credentials.tokenFor(id, signal())).rejects.toMatchObject({ code: 'credential_not_found' });
  });
});

describe('the encryption key', () => {
  it('is required to store or read, and the error names its variable', async () => {
    const keyless = world.open({ key: undefined });
    const { id } = await credentials.create(newToken());
    for (const asked of [keyless.create(newToken()), keyless.tokenFor(id, signal()), keyless.rotateKey()]) {
      await expect(asked).rejects.toMatchObject({
        kind: 'invalid',
        code: 'encryption_key_missing',
        message: expect.stringContaining('REPOTIDE_ENCRYPTION_KEY') as unknown,
      });
    }
    expect((await keyless.list({ limit: 5, offset: 0 })).total).toBe(1);
  });

  it('can be rotated: both keys work until all secrets are encrypted again, then the new one is enough', async () => {
    const [before, after] = [world.open({ key: OLD_KEY }), world.open({ key: KEY })];
    const { id } = await before.create(newToken());
    await expect(after.tokenFor(id, signal())).rejects.toMatchObject({ code: 'credential_key_unknown' });
    const both = world.open({ key: KEY, previous: OLD_KEY });
    expect(await both.tokenFor(id, signal())).toMatchObject({ token: 'glpat-hush-hush' });
    expect(await both.rotateKey()).toEqual({ resealed: 1, unreadable: [] });
    expect(await both.rotateKey()).toEqual({ resealed: 0, unreadable: [] });
    expect(await after.tokenFor(id, signal())).toMatchObject({ token: 'glpat-hush-hush' });
    await expect(before.tokenFor(id, signal())).rejects.toMatchObject({ code: 'credential_key_unknown' });
  });

  it('makes only its own credentials unreadable when it is lost', async () => {
    const lost = await world.open({ key: 'a key that no pod has' }).create(newToken());
    await world.open({ key: OLD_KEY }).create(newToken());
    const both = world.open({ key: KEY, previous: OLD_KEY });
    expect(await both.rotateKey()).toEqual({ resealed: 1, unreadable: [lost.id] });
    await both.replaceSecret(lost.id, { kind: 'token', token: 'glpat-new' });
    expect(await both.tokenFor(lost.id, signal())).toMatchObject({ token: 'glpat-new' });
  });
});
