import { createSecureContext, type SecureContext } from 'node:tls';
import { type Certificates, check, expiryOf, readCertificates, readFiles, stampOf } from './certificates.js';

/** Where problems of renewed files are reported: each one once. */
export type Warn = (problem: string) => void;

/**
 * The certificates of a directory, as they are now: the files are read again when they changed. While renewed files cannot be
 * used (half written, or a key of another certificate), the former certificates stay in use.
 */
export class RenewedCertificates {
  private certificates: Certificates;
  private context: SecureContext | undefined;
  /** The stamp of the files at the last read. Null makes the next call read them again. */
  private stamp: string | null = null;
  private reported: string | null = null;

  /** @throws CertificateError */
  constructor(
    private readonly directory: string,
    private readonly warn: Warn,
  ) {
    this.certificates = readCertificates(directory);
    this.reportExpiry();
  }

  /** The same object until the files change. */
  current(): Certificates {
    // Taken before the files are read: what is written meanwhile is read next time.
    const stamp = stampOf(this.directory);
    if (stamp !== null && stamp === this.stamp) return this.certificates;
    this.stamp = null;
    try {
      const found = readFiles(this.directory);
      this.stamp = stamp;
      if (isSame(found, this.certificates)) return this.certificates;
      check(found);
      this.certificates = found;
      this.context = undefined;
      this.reported = null;
      this.reportExpiry();
    } catch (error) {
      this.report(`${(error as Error).message}; the former certificates stay in use`);
    }
    return this.certificates;
  }

  secureContext(): SecureContext {
    const certificates = this.current();
    this.context ??= createSecureContext(certificates);
    return this.context;
  }

  private reportExpiry(): void {
    const end = expiryOf(this.certificates, new Date());
    if (end !== null) this.report(`the certificate in tls.crt has expired (${end.toISOString()}): renew it`);
  }

  private report(problem: string): void {
    if (problem === this.reported) return;
    this.reported = problem;
    this.warn(`${this.directory}: ${problem}`);
  }
}

function isSame(one: Certificates, other: Certificates): boolean {
  return one.ca === other.ca && one.cert === other.cert && one.key === other.key;
}
