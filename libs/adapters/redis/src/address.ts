import { RepotideError } from '@core/domain';

/**
 * `host:port` of a Redis URL, for messages: without user, password and parameters.
 * @throws invalid `redis_url_invalid`, without showing the URL.
 */
export function addressOf(url: string): string {
  if (!URL.canParse(url) || !/^rediss?:\/\//.test(url) || !isDatabase(new URL(url).pathname)) {
    throw new RepotideError(
      'invalid',
      'redis_url_invalid',
      'REDIS_URL is not a Redis URL. Expected e.g. redis://user:password@host:6379/0, or rediss:// for TLS ' +
        '(percent-encode special characters of the password).',
    );
  }
  const { hostname, port } = new URL(url);
  return `${hostname || 'localhost'}:${port || '6379'}`;
}

function isDatabase(pathname: string): boolean {
  return /^\/?\d*$/.test(pathname);
}
