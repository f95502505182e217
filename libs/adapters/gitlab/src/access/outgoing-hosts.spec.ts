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
  origin = `https://${name}`,
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
    hosts.lookupFor(origin)(name, { all: true }, (error, given) => {
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
    ...[
      'https://gitlab.com',
      'https://GitLab.Example.com.',
      'https://1.1.1.1:8443',
      'https://[2606:4700::1111]',
    ],
    ...[
      'https://gitlab.internal',
      'https://gitlab.internal.:443/other',
      'http://10.0.0.7:8080',
      'http://0xa000007:8080',
    ],
  ])('allows %s', (url) => expect(codeOf(byDefault, url)).toBeNull());

  it.each([
    ...['http://127.0.0.1', 'http://127.1', 'http://2130706433', 'http://0x7f.0.0.1', 'http://0177.0.0.1'],
    ...['http://①②⑦.⓪.⓪.①', 'http://localhost', 'http://LOCALHOST.', 'http://a.localhost', 'http://0'],
    ...['http://[::1]', 'http://[::ffff:127.0.0.1]', 'http://[::ffff:10.0.0.7]', 'http://169.254.169.254'],
    // Another port or scheme at the GitLab of the operator, and tokens without encryption.
    ...[
      'http://10.0.0.7',
      'http://10.0.0.7:9200',
      'https://10.0.0.7:8080',
      'http://1.1.1.1',
      'http://gitlab.com',
    ],
    ...['http://gitlab.internal', 'http://gitlab.internal:443', 'http://gitlab.internal:6379'],
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
    for (const url of ['https://gitlab.com', 'https://192.0.2.7'])
      expect([url, codeOf(network, url)]).toEqual([url, null]);
    for (const url of ['https://192.0.3.7', 'https://1.1.1.1', 'https://localhost', 'http://192.0.2.7'])
      expect([url, codeOf(network, url)]).toEqual([url, 'url_not_allowed']);
  });

  it.each([
    ['git.test', ['https://git.test'], ['http://git.test', 'https://git.test:8443', 'https://x.git.test']],
    ['git.test:8443', ['https://git.test:8443'], ['https://git.test', 'http://git.test:8443']],
    [
      'http://git.test',
      ['http://git.test', 'http://git.test:80'],
      ['https://git.test', 'http://git.test:81'],
    ],
    ['http://git.test:*', ['http://git.test', 'http://git.test:81'], ['https://git.test']],
    ['*.test:*', ['https://a.test:1', 'https://b.a.test'], ['http://a.test:1', 'https://test:1']],
    ['[fd00::1]:8443', ['https://[fd00::1]:8443'], ['https://[fd00::1]', 'https://[fd00::2]:8443']],
    ['fd00::/8', ['https://[fd12::1]'], ['https://[fd12::1]:8443', 'http://[fd12::1]']],
    ['http://10.0.0.0/8:8080', ['http://10.9.9.9:8080'], ['https://10.9.9.9', 'http://10.9.9.9']],
  ])('the entry %s allows its scheme, host and port only', (entry, allowed, refused) => {
    const hosts = new OutgoingHosts({ allowed: [entry], operatorUrls: [] });
    for (const url of allowed) expect([url, codeOf(hosts, url)]).toEqual([url, null]);
    for (const url of refused) expect([url, codeOf(hosts, url)]).toEqual([url, 'url_not_allowed']);
  });
});

describe('OutgoingHosts.lookupFor', () => {
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
    const otherPort = lookUp(['public'], ['10.0.0.9'], 'gitlab.internal', 'https://gitlab.internal:9200');
    await expect(otherPort).rejects.toMatchObject({ code: 'url_not_allowed' });
    expect(await lookUp(['*.corp.test'], ['127.0.0.1'], 'git.corp.test')).toEqual(['127.0.0.1']);
  });
});
