import { describe, expect, it } from '@jest/globals';
import { quoteServer, saysInsufficientScope } from './server-message.js';

describe('quoteServer', () => {
  it.each([
    ['{"message":"404 Project Not Found"}', '404 Project Not Found'],
    ['{"message":{"error":"Too many. Try later."}}', 'error: Too many. Try later.'],
    ['{"message":{"path":["is bad","is long"]}}', 'path: is bad, is long'],
    ['{"message":["one","two"]}', 'one, two'],
    ['{"error":"invalid_token","error_description":"Token was revoked."}', 'Token was revoked.'],
    ['{"error":"per_page is invalid"}', 'per_page is invalid'],
    ['Retry later\n', 'Retry later'],
  ])('reads %s', (body, words) => {
    expect(quoteServer(body, null)).toBe(words);
  });

  it.each(['<html><h1>502</h1></html>', '  <!DOCTYPE html>', '', '[1]', '{}', 'null', 'x'.repeat(5000)])(
    'quotes nothing from %.20s',
    (body) => {
      expect(quoteServer(body, null)).toBeNull();
    },
  );

  it('shortens the message to one line', () => {
    const quote = quoteServer(JSON.stringify({ message: `a\nb ${'x'.repeat(1000)}` }), null);
    expect(quote).toMatch(/^a b x+\.\.\.$/);
    expect(quote?.length).toBeLessThan(220);
  });

  it('never echoes the token', () => {
    const quote = quoteServer('{"message":"bad token glpat-secret given"}', 'glpat-secret');
    expect(quote).toBe('bad token [hidden] given');
  });
});

describe('saysInsufficientScope', () => {
  it('recognizes the OAuth error', () => {
    expect(saysInsufficientScope('{"error":"insufficient_scope","scope":"api read_api"}')).toBe(true);
    expect(saysInsufficientScope('{"message":"403 Forbidden"}')).toBe(false);
    expect(saysInsufficientScope('<html>insufficient_scope</html>')).toBe(false);
  });
});
