import { type Logger } from '@core/domain';
import { tlsOptions } from '@platform/tls';
import type pg from 'pg';

/** The database that a connection goes to. */
export interface ConnectionTarget {
  /** As `DATABASE_URL`, with its parameters. */
  url: string;
  /** `DATABASE_TLS_DIR`: the connection uses TLS with its certificates. */
  tlsDir?: string | undefined;
  logger: Logger;
}

/** Parameters that say how TLS is used, as in libpq. */
const TLS_PARAMETERS = ['ssl', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert'];

/**
 * Options of pg for connections to the database. Any number of connections can use them: each takes the certificates
 * that are in the files when it opens.
 * @throws CertificateError
 */
export function optionsFor({ url, tlsDir, logger }: ConnectionTarget): pg.ClientConfig {
  if (tlsDir === undefined) return { connectionString: url };
  const target = new URL(url);
  const isUnverified = target.searchParams.get('sslmode') === 'no-verify';
  // pg prefers the parameters of the URL and would read the files that they name.
  for (const name of TLS_PARAMETERS) target.searchParams.delete(name);
  const warn = (detail: string) => logger.warn({ detail }, 'certificates of DATABASE_TLS_DIR');
  const ssl = tlsOptions(tlsDir, warn);
  if (isUnverified) Object.assign(ssl, { rejectUnauthorized: false });
  return { connectionString: target.href, ssl };
}
