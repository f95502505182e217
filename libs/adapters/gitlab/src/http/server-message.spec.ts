import { describe, expect, it } from '@jest/globals';
import { isInsufficientScope } from './server-message.js';

describe('isInsufficientScope', () => {
  it('recognizes the OAuth error', () => {
    expect(isInsufficientScope('{"error":"insufficient_scope","scope":"api read_api"}')).toBe(true);
    expect(isInsufficientScope('{"message":"403 Forbidden"}')).toBe(false);
    expect(isInsufficientScope('<html>insufficient_scope</html>')).toBe(false);
  });
});
