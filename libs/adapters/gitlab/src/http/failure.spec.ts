import { describe, expect, it } from '@jest/globals';
import { RepotideError } from '@core/domain';
import { failureOfConnection, failureOfResponse, isInsufficientScope, redirectRefused } from './failure.js';

const now = new Date('2026-03-01T12:00:00Z');
const to = { baseUrl: 'https://gitlab.example.com', token: 'glpat-secret' };
const answered = (status: number, bodyText = '', headers = {}) =>
  failureOfResponse(to, { status, headers, bodyText }, now);

describe('failureOfResponse', () => {
  it.each([
    [400, 'invalid', 'source_request_refused'],
    [401, 'unauthorized', 'source_token_rejected'],
    [403, 'forbidden', 'source_access_denied'],
    [404, 'not_found', 'source_not_found'],
    [406, 'invalid', 'source_request_refused'],
    [429, 'rate_limited', 'source_rate_limited'],
    [500, 'temporary', 'source_unavailable'],
    [502, 'temporary', 'source_unavailable'],
    [504, 'temporary', 'source_unavailable'],
  ])('%i is %s %s', (status, kind, code) => {
    expect(answered(status)).toMatchObject({ kind, code, details: { status } });
  });

  it('names the missing scope', () => {
    const failure = answered(403, '{"error":"insufficient_scope","error_description":"higher privileges"}');
    expect(failure).toMatchObject({ kind: 'forbidden', code: 'source_token_scope' });
    expect(failure.message).toContain('read_api');
    expect(failure.message).toContain('GITLAB_TOKEN');
  });

  it('mentions a missing token', () => {
    const failure = failureOfResponse(
      { ...to, token: null },
      { status: 401, headers: {}, bodyText: '' },
      now,
    );
    expect(failure.message).toContain('no token was sent');
  });

  it('sets retryAt when the quota returns, and when a busy server sends Retry-After', () => {
    expect(answered(429, 'Retry later', { 'retry-after': '30' }).retryAt).toEqual(
      new Date('2026-03-01T12:00:30Z'),
    );
    expect(answered(503, '', { 'retry-after': '5' }).retryAt).toEqual(new Date('2026-03-01T12:00:05Z'));
    expect(answered(503).retryAt).toBeUndefined();
  });

  it('keeps the request id for the administrator, unless it is malformed', () => {
    expect(answered(500, '', { 'x-request-id': '01HX-abc' }).details).toEqual({
      status: 500,
      request_id: '01HX-abc',
    });
    expect(answered(500, '', { 'x-request-id': 'a b <script>' }).details).toEqual({ status: 500 });
  });

  it('leaves HTML and the token out of its message', () => {
    expect(answered(502, '<html><body>Bad gateway glpat-secret</body></html>').message).not.toMatch(
      /html|secret/,
    );
    expect(answered(400, '{"message":"header Bearer glpat-secret is bad"}').message).not.toContain('secret');
  });
});

describe('failureOfConnection', () => {
  it.each(['ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_SOCKET'])(
    '%s is temporary',
    (code) => {
      expect(failureOfConnection(to, Object.assign(new Error('x'), { code }))).toMatchObject({
        kind: 'temporary',
        code: 'source_unavailable',
        details: { reason: code },
      });
    },
  );

  it.each(['SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_HAS_EXPIRED'])(
    '%s is permanent',
    (code) => {
      const failure = failureOfConnection(to, Object.assign(new Error('x'), { code }));
      expect(failure).toMatchObject({ kind: 'invalid', code: 'source_certificate_invalid' });
      expect(failure.message).toContain('NODE_EXTRA_CA_CERTS');
    },
  );

  it('passes a RepotideError through and translates unknown errors to internal', () => {
    const own = new RepotideError('fence_lost', 'fence_lost', 'x');
    expect(failureOfConnection(to, own)).toBe(own);
    expect(failureOfConnection(to, new TypeError('bug'))).toMatchObject({ kind: 'internal' });
  });
});

describe('redirectRefused', () => {
  it('shows the other origin but not the path and query', () => {
    const { message } = redirectRefused(to, new URL('https://storage.example.com/b?X-Signature=secret'));
    expect(message).toContain('https://storage.example.com');
    expect(message).not.toContain('secret');
  });
});

describe('isInsufficientScope', () => {
  it('recognizes the OAuth error', () => {
    expect(isInsufficientScope('{"error":"insufficient_scope","scope":"api read_api"}')).toBe(true);
    expect(isInsufficientScope('{"message":"403 Forbidden"}')).toBe(false);
    expect(isInsufficientScope('<html>insufficient_scope</html>')).toBe(false);
  });
});
