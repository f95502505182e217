import { BlockList, isIP } from 'node:net';

/** IANA's special-purpose registry of IPv4, 2026: everything that is not a host on the internet. */
const SPECIAL_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Within 2000::/3, which is all of IPv6 that is given out: protocols (Teredo among them), examples, 6to4. */
const SPECIAL_IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

/** RFC 6052: how an IPv6-only network writes IPv4. Its end is judged as the IPv4 address that it is. */
const NAT64 = '64:ff9b::';

const given = new BlockList();
given.addSubnet('2000::', 3, 'ipv6');
given.addSubnet(NAT64, 96, 'ipv6');
given.addSubnet('0.0.0.0', 0, 'ipv4');

const special = new BlockList();
for (const [network, prefix] of SPECIAL_IPV4) {
  special.addSubnet(network, prefix, 'ipv4');
  special.addSubnet(NAT64 + network, 96 + prefix, 'ipv6');
}
for (const [network, prefix] of SPECIAL_IPV6) special.addSubnet(network, prefix, 'ipv6');

/** Whether an address (without brackets) can be one on the internet. IPv4 within IPv6 is judged as IPv4. */
export function isPublicAddress(address: string): boolean {
  const family = familyOf(address);
  return family !== null && given.check(address, family) && !special.check(address, family);
}

/** Null for what is no address. */
export function familyOf(address: string): 'ipv4' | 'ipv6' | null {
  const version = isIP(address);
  if (version === 0) return null;
  return version === 4 ? 'ipv4' : 'ipv6';
}
