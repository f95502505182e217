import { describe, expect, it } from '@jest/globals';
import { isUniqueViolation, translateDatabaseError } from './database-error.js';

/** As of another copy of pg: an error of the same shape and another class. */
function foreignError(fields: Record<string, string>): Error {
  class DatabaseError extends Error {}
  const message = 'duplicate key value violates unique constraint "credentials_name_key"';
  return Object.assign(new DatabaseError(message), fields);
}

describe('the translation of a database error', () => {
  const thrown = foreignError({
    ...{ code: '23505', constraint: 'credentials_name_key', table: 'credentials' },
    ...{ detail: 'Key (name)=(hidden) already exists.', where: 'hidden' },
  });
  const translated = translateDatabaseError(thrown, 'db:5432');

  it('names the constraint also when the error comes from another copy of pg', () => {
    expect(isUniqueViolation(translated, 'credentials_name_key')).toBe(true);
    expect(isUniqueViolation(translated, 'another_key')).toBe(false);
  });

  it('keeps no value of a row', () => {
    expect(translated.cause).toMatchObject({ code: '23505', table: 'credentials' });
    expect(JSON.stringify({ ...translated, cause: { ...(translated.cause as object) } })).not.toContain(
      'hidden',
    );
  });

  it('takes an error of a socket for a lost connection, whatever its code looks like', () => {
    const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' });
    expect(translateDatabaseError(broken, 'db:5432')).toMatchObject({ code: 'database_unreachable' });
  });
});
