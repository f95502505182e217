import { describe, expect, it } from '@jest/globals';
import { addressOf, sentinelOptions } from './address.js';

describe('addressOf', () => {
  it.each([
    ['redis://redis:6380/2', 'redis:6380'],
    ['rediss://user:s3cret@cache.example.com', 'cache.example.com:6379'],
    ['redis://:s3cret@[::1]:7000/0?family=6', '[::1]:7000'],
    ['rediss+sentinel://:s3cret@a:1,b.c:2,d/main/3?sentinel_password=s3cret', 'a:1,b.c:2,d/main'],
  ])('of %s is %s', (url, address) => {
    expect(addressOf(url)).toBe(address);
  });

  it.each([
    'http://u:s3cret@redis:6379',
    'redis:6379 s3cret',
    'redis://h/s3cret',
    'redis://h:99999/s3cret',
    'redis+sentinel://:s3cret@a:1,b:2',
    'redis+sentinel://:s3cret@a:99999/main',
  ])('refuses %s without repeating it', (url) => {
    let thrown: unknown;
    try {
      addressOf(url);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ kind: 'invalid', code: 'redis_url_invalid' });
    expect(String(thrown)).not.toContain('s3cret');
    expect(String(thrown)).toContain('REDIS_URL');
  });
});

describe('sentinelOptions', () => {
  it('has the Sentinels, the name of their primary, the account, the database and the password of the Sentinels', () => {
    const url = 'redis+sentinel://ann:s%40cret@a:1,b/main/3?sentinel_password=other';
    expect(sentinelOptions(url)).toMatchObject({
      sentinels: [
        { host: 'a', port: 1 },
        { host: 'b', port: 26_379 },
      ],
      ...{ name: 'main', db: 3, username: 'ann', password: 's@cret', sentinelPassword: 'other' },
    });
    expect(sentinelOptions(url)).not.toHaveProperty('tls');
  });

  it('uses TLS to Sentinels and servers with rediss+sentinel, and is null for a server', () => {
    expect(sentinelOptions('rediss+sentinel://a/main')).toMatchObject({
      ...{ tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true, password: undefined },
    });
    expect(sentinelOptions('rediss://a/0')).toBeNull();
  });
});
