import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A key and its certificate, both PEM. */
export interface Certified {
  key: string;
  cert: string;
}

/** Signs certificates. */
export interface Authority extends Certified {
  /** A certificate for 127.0.0.1 and these host names, for servers and clients. */
  issue(name: string, hosts?: readonly string[]): Certified;
}

const DAY_MS = 24 * 3600 * 1000;

const ECDSA_WITH_SHA256 = '06082a8648ce3d040302';
const COMMON_NAME = '0603550403';
const SUBJECT_ALTERNATIVE_NAME = '0603551d11';
const BASIC_CONSTRAINTS = '0603551d13';
const CERTIFICATE_AUTHORITY = sequence(hex('0101ff'));

/**
 * Creates an X.509 certificate for 127.0.0.1 and these host names, valid for a year from yesterday. It is generated at run time, so that the
 * repository contains no private key. node:crypto can read certificates but not write them.
 */
export function createSelfSigned(hosts: readonly string[] = []): Certified {
  const { key, cert } = createAuthority('kubernetes', hosts);
  return { key, cert };
}

/** An authority whose own certificate is signed by itself. */
export function createAuthority(name: string, hosts: readonly string[] = []): Authority {
  const { privateKey, publicKey } = newKeys();
  const issuer = { name, privateKey };
  return {
    ...certify({ name, hosts, publicKey, constraints: CERTIFICATE_AUTHORITY }, issuer),
    key: inPem(privateKey),
    issue: (subject, itsHosts = []) => {
      const keys = newKeys();
      const request = { name: subject, hosts: itsHosts, publicKey: keys.publicKey, constraints: sequence() };
      return { ...certify(request, issuer), key: inPem(keys.privateKey) };
    },
  };
}

interface Request {
  name: string;
  hosts: readonly string[];
  publicKey: KeyObject;
  constraints: Buffer;
}

function certify(
  { name, hosts, publicKey, constraints }: Request,
  issuer: { name: string; privateKey: KeyObject },
): { cert: string } {
  const algorithm = sequence(hex(ECDSA_WITH_SHA256));
  const address = tlv(0x87, Buffer.from([127, 0, 0, 1]));
  const names = sequence(address, ...hosts.map((host) => tlv(0x82, Buffer.from(host))));
  const content = sequence(
    tlv(0xa0, hex('020102')),
    tlv(0x02, Buffer.concat([hex('01'), randomBytes(8)])),
    algorithm,
    nameOf(issuer.name),
    sequence(utcTime(Date.now() - DAY_MS), utcTime(Date.now() + 365 * DAY_MS)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(
      0xa3,
      sequence(extension(BASIC_CONSTRAINTS, constraints), extension(SUBJECT_ALTERNATIVE_NAME, names)),
    ),
  );
  const signature = tlv(0x03, hex('00'), sign('sha256', content, issuer.privateKey));
  return { cert: pem(sequence(content, algorithm, signature)) };
}

function newKeys() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function inPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function nameOf(commonName: string): Buffer {
  return sequence(tlv(0x31, sequence(hex(COMMON_NAME), tlv(0x0c, Buffer.from(commonName)))));
}

function extension(oid: string, value: Buffer): Buffer {
  return sequence(hex(oid), tlv(0x04, value));
}

function sequence(...content: Buffer[]): Buffer {
  return tlv(0x30, ...content);
}

function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14);
  return tlv(0x17, Buffer.from(`${digits}Z`));
}

/** ASN.1: tag, length, value. */
function tlv(tag: number, ...content: Buffer[]): Buffer {
  const value = Buffer.concat(content);
  const length = value.length < 0x80 ? [value.length] : [0x82, value.length >> 8, value.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), value]);
}

function hex(digits: string): Buffer {
  return Buffer.from(digits, 'hex');
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
