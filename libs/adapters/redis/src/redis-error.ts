import { messageOf, RepotideError } from '@core/domain';
import { tlsAdvice } from '@platform/tls';

/** Error codes of Redis; https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/ */
const CREDENTIALS = /^(WRONGPASS|NOAUTH|NOPERM)\b/;

/** Drops the arguments that ioredis adds to its errors: those of AUTH and HELLO contain the password. */
export function withoutArguments(thrown: unknown): Error {
  const name = thrown instanceof Error ? thrown.name : 'Error';
  return Object.assign(new Error(messageOf(thrown)), { name });
}

interface FailedServer {
  /** Without user, password and parameters. */
  address: string;
  usesTls: boolean;
}

/** @param thrown only its name and message are kept. */
export function unreachable(
  { address, usesTls }: FailedServer,
  reason: string,
  thrown: unknown,
): RepotideError {
  const options = { cause: withoutArguments(thrown), details: { address } };
  if (CREDENTIALS.test(reason)) {
    const message = `Redis at ${address} rejects the credentials (${reason}). Correct the user or password in REDIS_URL, or REDIS_PASSWORD.`;
    return new RepotideError('unauthorized', 'redis_credentials_rejected', message, options);
  }
  const message = `Redis at ${address} cannot be reached (${reason}). Check that it runs and that REDIS_URL is its address.${tlsAdvice(reason, 'REDIS_TLS_DIR', usesTls)}`;
  return new RepotideError('temporary', 'redis_unreachable', message, options);
}

/** @param thrown only its name and message are kept. */
export function limiterUnavailable(address: string, reason: string, thrown: unknown): RepotideError {
  const message = `Redis at ${address} does not respond, so rate limits cannot be shared (${reason}). Check that it runs and that REDIS_URL is its address.`;
  return new RepotideError('temporary', 'limiter_unavailable', message, { cause: withoutArguments(thrown) });
}
