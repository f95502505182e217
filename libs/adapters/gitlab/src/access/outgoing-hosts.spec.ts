import { type LookupAddress } from 'node:dns';
import { describe, expect, it } from '@jest/globals';
import { RepotideError } from '@core/domain';
import { OutgoingHosts } from './outgoing-hosts.js';
import { isPublicAddress } from './public-address.js';

const OWN = ['https://gitlab.internal/gitlab', 'http://10.0.0.7:8080'];

function codeOf(hosts: OutgoingHosts, url: string): string | null {
  try {
    hosts.assertUrl(url);
    return null;
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(RepotideError);
    expect((thrown as Error).message).toContain('OUTGOING_ALLOWED_HOSTS');
    return (thrown as RepotideError).code;
  }
}

/** The addresses that a connection to `name` may use. */
function lookUp(
  allowed: readonly string[],
  addresses: readonly string[],
  name = 'git.example.com',
): Promise<string[]> {
  const found: LookupAddress[] = addresses.map((address) => ({
    address,
    family: address.includes(':') ? 6 : 4,
  }));
  const hosts = new OutgoingHosts({
    allowed,
    operatorUrls: OWN,
    resolve: (_name, _options, response) => response(null, found),
  });
  return new Promise((resolve, reject) => {
    hosts.lookup(name, { all: true }, (error, given) => {
      if (error !== null) reject(error);
      else resolve((given as LookupAddress[]).map(({ address }) => address));
    });
  });
}

describe('isPublicAddress', () => {
  it.each(['1.1.1.1', '8.8.8.8', '172.15.255.255', '172.32.0.0', '2606:4700::1111', '64:ff9b::808:808'])(
    '%s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    ...['0.0.0.0', '10.0.0.1', '100.64.0.1', '127.0.0.1', '127.255.255.255', '169.254.169.254', '172.16.0.1'],
    ...['192.168.1.1', '198.18.0.1', '203.0.113.7', '224.0.0.1', '255.255.255.255', '::', '::1', 'fe80::1'],
    ...['fd00::1', 'fec0::1', 'ff02::1', '::ffff:127.0.0.1', '::ffff:a00:1', '::7f00:1', '64:ff9b::7f00:1'],
    ...[
      '64:ff9b::a9fe:a9fe',
      '64:ff9b:1::1',
      '2002:7f00:1::',
      '2001:0:4136:e378::',
      '2001:db8::1',
      'no address',
    ],
  ])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));
});

describe('OutgoingHosts.assertUrl', () => {
  const byDefault = new OutgoingHosts({ allowed: ['public'], operatorUrls: OWN });

  it.each([
    ...['https://gitlab.com', 'https://GitLab.Example.com.', 'http://1.1.1.1', 'http://[2606:4700::1111]'],
    ...['https://gitlab.internal', 'http://gitlab.internal.:8443', 'http://10.0.0.7', 'http://0xa000007'],
  ])('allows %s', (url) => expect(codeOf(byDefault, url)).toBeNull());

  it.each([
    ...['http://127.0.0.1', 'http://127.1', 'http://2130706433', 'http://0x7f.0.0.1', 'http://0177.0.0.1'],
    ...['http://①②⑦.⓪.⓪.①', 'http://localhost', 'http://LOCALHOST.', 'http://a.localhost', 'http://0'],
    ...['http://[::1]', 'http://[::ffff:127.0.0.1]', 'http://[::ffff:10.0.0.7]', 'http://169.254.169.254'],
    ...['http://10.0.0.8', 'http://[fd00:ec2::254]', 'http:\\\\127.0.0.1', 'ht\ntp://127.0.0.1'],
  ])('refuses %j', (url) => expect(codeOf(byDefault, url)).toBe('url_not_allowed'));

  it('allows only the listed hosts when the list lacks "public"', () => {
    const strict = new OutgoingHosts({ allowed: ['GIT.example.com', '*.corp.test'], operatorUrls: OWN });
    for (const url of ['https://git.example.com', 'https://a.b.corp.test', OWN[0]!])
      expect([url, codeOf(strict, url)]).toEqual([url, null]);
    for (const url of [
      'https://gitlab.com',
      'https://xgit.example.com',
      'https://corp.test',
      'http://1.1.1.1',
    ])
      expect([url, codeOf(strict, url)]).toEqual([url, 'url_not_allowed']);
  });

  it('allows any name when a network is listed, since the address is checked later', () => {
    const network = new OutgoingHosts({ allowed: ['192.0.2.0/24'], operatorUrls: [] });
    for (const url of ['https://gitlab.com', 'http://192.0.2.7'])
      expect([url, codeOf(network, url)]).toEqual([url, null]);
    for (const url of ['http://192.0.3.7', 'http://1.1.1.1', 'http://localhost'])
      expect([url, codeOf(network, url)]).toEqual([url, 'url_not_allowed']);
  });
});

describe('OutgoingHosts.lookup', () => {
  it('returns only the allowed addresses of a name', async () => {
    expect(await lookUp(['public'], ['1.1.1.1', '10.0.0.9'])).toEqual(['1.1.1.1']);
    expect(await lookUp(['10.0.0.0/24', 'fd00::/8'], ['10.0.0.9', '10.0.1.9', 'fd12::1', '1.1.1.1'])).toEqual(
      ['10.0.0.9', 'fd12::1'],
    );
    expect(await lookUp(['10.0.0.0/24'], ['::ffff:10.0.0.9'])).toEqual(['::ffff:10.0.0.9']);
  });

  it('refuses a name without an allowed address, and does not reveal its addresses', async () => {
    const refused = lookUp(['public'], ['10.0.0.9', '::1']);
    await expect(refused).rejects.toMatchObject({ kind: 'invalid', code: 'url_not_allowed' });
    await expect(refused).rejects.not.toThrow('10.0.0.9');
  });

  it('allows any address for a name that the operator configured', async () => {
    expect(await lookUp(['public'], ['10.0.0.9'], 'gitlab.internal')).toEqual(['10.0.0.9']);
    expect(await lookUp(['*.corp.test'], ['127.0.0.1'], 'git.corp.test')).toEqual(['127.0.0.1']);
  });
});
