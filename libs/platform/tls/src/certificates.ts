import { createPrivateKey, X509Certificate } from 'node:crypto';
import { type BigIntStats, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';

/** For the connections to one server, in PEM. */
export interface Certificates {
  /** The authorities that may sign the server's certificate. Absent: those that Node.js trusts. */
  ca?: string;
  /** The client certificate, with the certificates between it and its authority. */
  cert?: string;
  /** Its private key. */
  key?: string;
}

/** The names of the keys in a Secret of the type `kubernetes.io/tls`, and those that cert-manager writes. */
const FILES = { ca: 'ca.crt', cert: 'tls.crt', key: 'tls.key' } as const;

/** The directory cannot be used. The message says why, and contains no part of a key. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError';
}

/**
 * Reads the files of a directory and checks them: `tls.crt` with `tls.key`, `ca.crt`, or all three.
 * @throws CertificateError
 */
export function readCertificates(directory: string): Certificates {
  const certificates = readFiles(directory);
  check(certificates);
  return certificates;
}

/** Reads without checks. @throws CertificateError */
export function readFiles(directory: string): Certificates {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new CertificateError('there is no such directory');
  const [ca, cert, key] = Object.values(FILES).map((name) => contentOf(directory, name));
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}

/**
 * Differs when a file was replaced or written since. Null when that is uncertain, because a file changed so recently that a
 * further write may leave its time as it is, or because the directory cannot be read.
 */
export function stampOf(directory: string): string | null {
  const found = Object.values(FILES).map((name) => statOf(join(directory, name)));
  if (found.every((file) => file === undefined)) return null;
  const newest = Math.max(...found.map((file) => Number(file?.ctimeMs ?? 0)));
  if (Math.abs(Date.now() - newest) < UNCERTAIN_MS) return null;
  return found
    .map((file) => file && `${file.dev}:${file.ino}:${file.size}:${file.mtimeNs}:${file.ctimeNs}`)
    .join();
}

/** Some file systems count whole seconds, and their clock may differ from ours. */
const UNCERTAIN_MS = 5_000;

function statOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

export function check({ ca, cert, key }: Certificates): void {
  if (ca === undefined && cert === undefined && key === undefined)
    throw new CertificateError(`it has neither ${FILES.cert} and ${FILES.key} nor ${FILES.ca}`);
  if ((cert === undefined) !== (key === undefined)) {
    const [found, missing] = cert === undefined ? [FILES.key, FILES.cert] : [FILES.cert, FILES.key];
    throw new CertificateError(`it has ${found} and no ${missing}`);
  }
  if (ca !== undefined) parsed(FILES.ca, 'certificates in PEM', () => new X509Certificate(ca));
  if (cert === undefined || key === undefined) return;
  const certificate = parsed(FILES.cert, 'a certificate in PEM', () => new X509Certificate(cert));
  const privateKey = parsed(FILES.key, 'a private key in PEM without a passphrase', () =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw new CertificateError(`${FILES.key} is not the key of the certificate in ${FILES.cert}`);
  parsed(FILES.cert, 'certificates in PEM that TLS can use', () => createSecureContext({ ca, cert, key }));
}

/** The end of the client certificate's validity, if that is over; null otherwise. */
export function expiryOf({ cert }: Certificates, now: Date): Date | null {
  if (cert === undefined) return null;
  const end = new Date(new X509Certificate(cert).validTo);
  return end < now ? end : null;
}

function parsed<T>(file: string, expected: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    // Without the library's words: they could repeat a part of the file.
    throw new CertificateError(`${file} does not contain ${expected}`);
  }
}

/** Undefined: there is no such file. */
function contentOf(directory: string, name: string): string | undefined {
  try {
    return readFileSync(join(directory, name), 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return undefined;
    throw new CertificateError(`${name} cannot be read (${code})`);
  }
}
