import { describe, expect, it } from '@jest/globals';
import { type Request } from 'express';
import { clientAddress, clientNetwork } from './client-address.js';

describe('the address of a client', () => {
  it('of an IPv4 connection to an IPv6 socket is the IPv4 address', () => {
    expect(clientAddress({ ip: '::ffff:192.0.2.1' } as Request)).toBe('192.0.2.1');
    expect(clientAddress({ ip: '2001:db8::1' } as Request)).toBe('2001:db8::1');
  });

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ])('the network of %s is %s', (address, network) => {
    expect(clientNetwork(address)).toBe(network);
  });
});
