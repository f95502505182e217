import { type SecureContext } from 'node:tls';
import { RenewedCertificates, type Warn } from './renewed-certificates.js';

/**
 * Options for clients that hand them to `tls.connect`: each connection takes the certificates of that moment.
 * @throws CertificateError
 */
export function tlsOptions(directory: string, warn: Warn): { readonly secureContext: SecureContext } {
  const certificates = new RenewedCertificates(directory, warn);
  return {
    get secureContext() {
      return certificates.secureContext();
    },
  };
}
