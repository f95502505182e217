import { isIP } from 'node:net';
import { type Request } from 'express';

/** The address of the client: that of the connection, or the one that the proxies of `TRUSTED_PROXIES` report. */
export function clientAddress(request: Request): string {
  const { ip = '' } = request;
  return /^::ffff:([\d.]+)$/i.exec(ip)?.[1] ?? ip;
}

/** The client for the purpose of limits: an IPv6 client usually owns a whole /64 network. */
export function clientNetwork(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
