import { describe, expect, it } from '@jest/globals';
import { ApiException } from '@kubernetes/client-node';
import { failureOf, type PodRequest } from './failure.js';

const REQUEST: PodRequest = { verb: 'list', server: 'https://10.43.0.1:443', namespace: 'code' };

describe('failureOf', () => {
  it.each([
    [400, 'invalid', 'kubernetes_request_refused'],
    [401, 'unauthorized', 'kubernetes_token_rejected'],
    [403, 'forbidden', 'kubernetes_forbidden'],
    [410, 'temporary', 'kubernetes_history_expired'],
    [429, 'temporary', 'kubernetes_unavailable'],
    [503, 'temporary', 'kubernetes_unavailable'],
  ])('translates status %i, in both forms the client throws', (status, kind, code) => {
    const answers = [
      new ApiException(status, 'x', {}, {}),
      Object.assign(new Error(), { statusCode: status }),
    ];
    for (const thrown of answers) expect(failureOf(thrown, REQUEST)).toMatchObject({ kind, code });
  });

  it('quotes neither headers nor body', () => {
    const thrown = new ApiException(403, 'x', { message: 'body-secret' }, { 'set-cookie': 'header-secret' });
    const { message, details } = failureOf(thrown, REQUEST);
    expect(JSON.stringify({ message, details })).not.toContain('secret');
    expect(message).toContain('verbs get, list and watch on pods');
  });

  it('gives the innermost reason of an error that fetch throws', () => {
    const thrown = new TypeError('fetch failed', {
      cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }),
    });
    expect(failureOf(thrown, REQUEST)).toMatchObject({
      kind: 'temporary',
      code: 'kubernetes_unavailable',
      details: { verb: 'list', reason: 'ECONNREFUSED' },
    });
  });
});
