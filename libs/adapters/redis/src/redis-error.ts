import { RepotideError } from '@core/domain';

/** Redis puts a code first; https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/ */
const CREDENTIALS = /^(WRONGPASS|NOAUTH|NOPERM)\b/;

/** What a vendor error says. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === '') {
    // A name with several addresses: Node reports one error for each.
    return [...new Set(thrown.errors.map(messageOf))].join('; ');
  }
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Without the arguments that ioredis hangs on its errors: those of AUTH and HELLO hold the password. */
export function withoutArguments(thrown: unknown): Error {
  const name = thrown instanceof Error ? thrown.name : 'Error';
  return Object.assign(new Error(messageOf(thrown)), { name });
}

/** @param reason what the vendor said; @param thrown its error, of which only name and message are kept. */
export function unreachable(address: string, reason: string, thrown: unknown): RepotideError {
  const options = { cause: withoutArguments(thrown), details: { address } };
  if (CREDENTIALS.test(reason)) {
    return new RepotideError(
      'unauthorized',
      'redis_credentials_rejected',
      `Redis at ${address} refuses the credentials (${reason}). Change user or password in REDIS_URL, or REDIS_PASSWORD.`,
      options,
    );
  }
  return new RepotideError(
    'temporary',
    'redis_unreachable',
    `Redis at ${address} cannot be reached (${reason}). Check that it runs and that REDIS_URL names it.`,
    options,
  );
}

/** @param thrown of which only name and message are kept. */
export function limiterUnavailable(address: string, reason: string, thrown: unknown): RepotideError {
  const message = `Redis at ${address} does not keep the limits of hosts now (${reason}). Check that it runs and that REDIS_URL names it.`;
  return new RepotideError('temporary', 'limiter_unavailable', message, { cause: withoutArguments(thrown) });
}
