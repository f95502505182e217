import { describe, expect, it } from '@jest/globals';
import { registerSecrets } from '@platform/observability';
import { recordedChanges } from './recorded-changes.js';

describe('recordedChanges', () => {
  it('keeps harmless fields unchanged', () => {
    const body = {
      cron_expression: '0 * * * *',
      is_active: false,
      include_globs: ['src/**'],
      limit: 3,
      x: null,
    };
    expect(recordedChanges(body)).toEqual(body);
  });

  it('masks secrets at any depth', () => {
    registerSecrets(['hunter2-hunter2']);
    const recorded = recordedChanges({
      token: 'glpat-1',
      api_key: 'k',
      oauth: { refresh_token: 'r', client_secret: 's', max_input_tokens: 7 },
      base_url: 'https://bob:pass@git.test/x',
      note: 'it is hunter2-hunter2',
      password: null,
    });
    expect(recorded).toEqual({
      token: '[masked]',
      api_key: '[masked]',
      oauth: { refresh_token: '[masked]', client_secret: '[masked]', max_input_tokens: 7 },
      base_url: 'https://[masked]@git.test/x',
      note: 'it is [redacted]',
      password: null,
    });
  });

  it('bounds depth, number of members and length of texts', () => {
    const recorded = recordedChanges({
      long: 'x'.repeat(9000),
      many: Array.from({ length: 900 }, (_, index) => index),
      deep: { a: { b: { c: { d: 'e' } } } },
      ...Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`f${index}`, index])),
    });
    expect(JSON.stringify(recorded).length).toBeLessThan(3000);
    expect(recorded).toMatchObject({ deep: { a: { b: { c: '[deeper]' } } } });
  });

  it('is null for an empty body, and for one that is not an object', () => {
    expect([undefined, null, {}, [], 'text', 3].map(recordedChanges)).toEqual(Array(6).fill(null));
  });

  it('replaces characters that jsonb refuses', () => {
    expect(recordedChanges({ ['a\0']: 'b\0\uD800' })).toEqual({ 'a\uFFFD': 'b\uFFFD\uFFFD' });
  });
});
