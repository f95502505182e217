import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { checkDelivery } from './webhook-proof.js';

const NOW = new Date('2026-11-21T12:00:00Z');
const BODY = Buffer.from('{"object_kind":"push"}');

function isAccepted(secret: string, key: Buffer): boolean {
  const timestamp = String(NOW.getTime() / 1000);
  const signature = createHmac('sha256', key).update(`id.${timestamp}.`).update(BODY).digest('base64');
  const headers = {
    'webhook-id': 'id',
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
  try {
    checkDelivery(headers, BODY, secret, NOW);
    return true;
  } catch {
    return false;
  }
}

describe('the key of a webhook signature', () => {
  const key = Buffer.alloc(32, 7);

  it.each([
    ['the key that a signing secret encodes', `whsec_${key.toString('base64')}`, key],
    ['the key that a secret without the prefix encodes', key.toString('base64'), key],
    ['the secret itself', 'k=any-secret-text', Buffer.from('k=any-secret-text')],
  ])('a signature may use %s', (_which, secret, signedWith) => {
    expect(isAccepted(secret, signedWith)).toBe(true);
  });

  // A lenient base64 decoder turns each into a key, some into an empty one.
  it.each(['!!!!????', 'k=Zx9abcdefgh', '====', 'correct-horse', 'short', 'whsec_k=aaaa'])(
    'a signature never uses the decoded form of invalid base64: %s',
    (secret) => {
      const encoded = secret.replace('whsec_', '');
      expect(isAccepted(secret, Buffer.alloc(0))).toBe(false);
      expect(isAccepted(secret, Buffer.from(encoded, 'base64'))).toBe(false);
    },
  );
});
