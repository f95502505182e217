import { describe, expect, it } from '@jest/globals';
import { RepotideError } from '@core/domain';
import { parseBaseUrl } from './base-url.js';

function refusalOf(baseUrl: string): RepotideError {
  try {
    parseBaseUrl(baseUrl);
  } catch (thrown) {
    if (thrown instanceof RepotideError) return thrown;
  }
  throw new Error('was accepted');
}

describe('parseBaseUrl', () => {
  it.each([
    ['https://gitlab.example.com', 'https://gitlab.example.com'],
    ['https://gitlab.example.com/', 'https://gitlab.example.com'],
    [' https://example.com/gitlab// \n', 'https://example.com/gitlab'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ])('reads %j as %j', (given, expected) => {
    expect(parseBaseUrl(given)).toBe(expected);
  });

  it.each([
    'gitlab.example.com',
    '',
    'ftp://example.com',
    'https://example.com/?a=b',
    'https://example.com/api/v4',
    'https://example.com/gitlab/api/v4/',
  ])('refuses %j and names the setting', (given) => {
    const refusal = refusalOf(given);
    expect(refusal).toMatchObject({ kind: 'invalid', code: 'source_url_invalid' });
    expect(refusal.message).toContain('GITLAB_URL');
  });

  it('does not repeat credentials of an address', () => {
    expect(refusalOf('https://root:hunter2@example.com').message).not.toContain('hunter2');
  });
});
