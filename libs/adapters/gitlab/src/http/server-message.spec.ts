import { describe, expect, it } from '@jest/globals';
import { quoteErrorMessage, isInsufficientScope } from './server-message.js';

describe('quoteErrorMessage', () => {
  it.each([
    ['{"message":"404 Project Not Found"}', '404 Project Not Found'],
    ['{"message":{"error":"Too many. Try later."}}', 'error: Too many. Try later.'],
    ['{"message":{"path":["is bad","is long"]}}', 'path: is bad, is long'],
    ['{"message":["one","two"]}', 'one, two'],
    ['{"error":"invalid_token","error_description":"Token was revoked."}', 'Token was revoked.'],
    ['{"error":"per_page is invalid"}', 'per_page is invalid'],
    ['Retry later\n', 'Retry later'],
  ])('reads %s', (body, words) => {
    expect(quoteErrorMessage(body, null)).toBe(words);
  });

  it.each(['<html><h1>502</h1></html>', '  <!DOCTYPE html>', '', '[1]', '{}', 'null', 'x'.repeat(5000)])(
    'quotes nothing from %.20s',
    (body) => {
      expect(quoteErrorMessage(body, null)).toBeNull();
    },
  );

  it('shortens the message to one line', () => {
    const quote = quoteErrorMessage(JSON.stringify({ message: `a\nb ${'x'.repeat(1000)}` }), null);
    expect(quote).toMatch(/^a b x+\.\.\.$/);
    expect(quote?.length).toBeLessThan(220);
  });

  it('never echoes the token', () => {
    const quote = quoteErrorMessage('{"message":"bad token glpat-secret given"}', 'glpat-secret');
    expect(quote).toBe('bad token [hidden] given');
  });
});

describe('isInsufficientScope', () => {
  it('recognizes the OAuth error', () => {
    expect(isInsufficientScope('{"error":"insufficient_scope","scope":"api read_api"}')).toBe(true);
    expect(isInsufficientScope('{"message":"403 Forbidden"}')).toBe(false);
    expect(isInsufficientScope('<html>insufficient_scope</html>')).toBe(false);
  });
});
