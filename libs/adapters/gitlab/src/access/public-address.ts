import { BlockList, isIP } from 'node:net';

/** IANA's special-purpose registry of IPv4, 2026: all addresses that are not on the internet. */
const SPECIAL_IPV4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4';

/** Within 2000::/3, the allocated part of IPv6: protocols (Teredo among them), examples, 6to4. */
const SPECIAL_IPV6 = '2001::/23 2001:db8::/32 2002::/16 3fff::/20';

/** RFC 6052: the prefix of IPv4 addresses in an IPv6-only network. The last 32 bits are checked as an IPv4 address. */
const NAT64 = '64:ff9b::';

const allocated = new BlockList();
allocated.addSubnet('2000::', 3, 'ipv6');
allocated.addSubnet(NAT64, 96, 'ipv6');
allocated.addSubnet('0.0.0.0', 0, 'ipv4');

const special = new BlockList();
for (const [network, prefix] of networksOf(SPECIAL_IPV4)) {
  special.addSubnet(network, prefix, 'ipv4');
  special.addSubnet(NAT64 + network, 96 + prefix, 'ipv6');
}
for (const [network, prefix] of networksOf(SPECIAL_IPV6)) special.addSubnet(network, prefix, 'ipv6');

/** Whether an address (without brackets) can be on the internet. IPv4 within IPv6 is checked as IPv4. */
export function isPublicAddress(address: string): boolean {
  const family = familyOf(address);
  return family !== null && allocated.check(address, family) && !special.check(address, family);
}

/** Null for text that is not an address. */
export function familyOf(address: string): 'ipv4' | 'ipv6' | null {
  const version = isIP(address);
  if (version === 0) return null;
  return version === 4 ? 'ipv4' : 'ipv6';
}

function networksOf(list: string): [network: string, prefix: number][] {
  return list.split(' ').map((entry) => {
    const [network = '', prefix] = entry.split('/');
    return [network, Number(prefix)];
  });
}
