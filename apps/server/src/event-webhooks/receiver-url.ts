import { type OutgoingHosts } from '@adapters/gitlab';
import { RepotideError } from '@core/domain';
import { naming } from '../http/problem.js';

/** @throws invalid `webhook_url_invalid`, `url_not_allowed`. */
export function assertReceiver(address: string, outgoing: OutgoingHosts): void {
  if (!isReceiver(address)) {
    const message =
      'url must be an absolute https:// address without user, password and fragment. Put a secret of the receiver into its path.';
    throw new RepotideError('invalid', 'webhook_url_invalid', message, { details: { field: 'url' } });
  }
  try {
    outgoing.assertUrl(address);
  } catch (error) {
    throw naming(error, { url_not_allowed: 'url' });
  }
}

function isReceiver(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password, hash } = new URL(address);
  return ['http:', 'https:'].includes(protocol) && username === '' && password === '' && hash === '';
}
