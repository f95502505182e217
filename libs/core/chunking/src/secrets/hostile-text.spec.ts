import { describe, expect, it } from '@jest/globals';
import { hostileTexts } from '../../../../../test/support/hostile-texts.js';
import { findSecrets } from './find-secrets.js';
import { screenText } from './screen-text.js';
import { TOKEN_RULES } from './token-rules.js';

// A rule that reads parts of a text again and again takes longer for one of these than any test may.
const MEGABYTE = 1_000_000;

describe('a text that nearly matches', () => {
  it.each(TOKEN_RULES)('costs no more than another one: $rule', ({ hints, pattern }) => {
    for (const hint of hints) {
      for (const text of hostileTexts(hint, MEGABYTE)) {
        expect([...text.matchAll(pattern)].length).toBeLessThan(MEGABYTE);
      }
    }
  });

  it.each([
    ...['a', 'A1', ' ', '\n', '"', ':', '=', '/', '://', '-', '--', 'é'],
    ...['-----BEGIN PRIVATE KEY-----', 'Private-Lines: 12\n', 'PuTTY-User-Key-File-', 'LS0tLS1CRUdJTi'],
    ...['password=', 'api_key: "', 'connection_string', 'AKIA', 'aws_secret_access_key=', 'ops_eyJ'],
  ])('of %j passes through all rules, those of the library too', (part) => {
    for (const text of hostileTexts(part, MEGABYTE / 4)) {
      for (const { start, end } of findSecrets(text)) expect(start).toBeLessThan(end);
    }
  });
});

it('a web token after a hyphen loses its content and its signature', () => {
  const [header, content, signature] = [
    'eyJhbGciOiJIUzI1NiJ9',
    'eyJzdWIiOiIxMjM0NTY3ODkwIn0',
    'SflKxwRJSMeKKF2QT4fw',
  ];
  const { text } = screenText(`run --token-${header}.${content}.${signature}`, 'redact');
  expect(text).toBe(`run --token-${header}[redacted:jwt]`);
});
