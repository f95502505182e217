import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A server's key and its self-signed certificate, both PEM. */
export interface SelfSigned {
  key: string;
  cert: string;
}

const DAY_MS = 24 * 3600 * 1000;

const ECDSA_WITH_SHA256 = '06082a8648ce3d040302';
const COMMON_NAME = '0603550403';
const SUBJECT_ALTERNATIVE_NAME = '0603551d11';
const BASIC_CONSTRAINTS = '0603551d13';

/**
 * Creates an X.509 certificate for 127.0.0.1 and these host names, valid for a year from yesterday. It is generated at run time, so that the
 * repository contains no private key. node:crypto can read certificates but not write them.
 */
export function createSelfSigned(hosts: readonly string[] = []): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(hex(ECDSA_WITH_SHA256));
  const name = sequence(tlv(0x31, sequence(hex(COMMON_NAME), tlv(0x0c, Buffer.from('kubernetes')))));
  const address = tlv(0x87, Buffer.from([127, 0, 0, 1]));
  const content = sequence(
    tlv(0xa0, hex('020102')),
    tlv(0x02, Buffer.concat([hex('01'), randomBytes(8)])),
    algorithm,
    name,
    sequence(utcTime(Date.now() - DAY_MS), utcTime(Date.now() + 365 * DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(
      0xa3,
      sequence(
        extension(BASIC_CONSTRAINTS, sequence(hex('0101ff'))),
        extension(
          SUBJECT_ALTERNATIVE_NAME,
          sequence(address, ...hosts.map((host) => tlv(0x82, Buffer.from(host)))),
        ),
      ),
    ),
  );
  const signature = tlv(0x03, hex('00'), sign('sha256', content, privateKey));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pem(sequence(content, algorithm, signature)),
  };
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
