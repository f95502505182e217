import { messageOf, RepotideError } from '@core/domain';
import { tlsAdvice } from '@platform/tls';
import type pg from 'pg';

/** The setting with the certificates of the connections. */
const TLS_DIR = 'DATABASE_TLS_DIR';

/** The SQLSTATEs that the code checks; https://www.postgresql.org/docs/current/errcodes-appendix.html */
export const SQLSTATE = {
  invalidAuthorization: '28000',
  invalidPassword: '28P01',
  unknownDatabase: '3D000',
  uniqueViolation: '23505',
  serializationFailure: '40001',
  deadlockDetected: '40P01',
  insufficientPrivilege: '42501',
  undefinedTable: '42P01',
  diskFull: '53100',
  lockNotAvailable: '55P03',
  queryCancelled: '57014',
} as const;

/**
 * Classes 08 (connection), 53 (resources), 57P (operator intervention), 58 (system): the server failed, not
 * the statement. 25P03: it ended a session that paused within a transaction.
 */
const SERVER_TROUBLE = /^(08|53|57P|58|25P03)/;
/** Classes 22 (data) and 23 (constraints): the caller's value violates the schema. */
const VALUE_TROUBLE = /^2[23]/;

/** `host:port` of a connection URL for messages; never user, password or parameters. */
export function addressOf(url: string): string {
  try {
    const { hostname, port, searchParams } = new URL(url);
    const host = searchParams.get('host') ?? hostname;
    return host.startsWith('/') ? host : `${host || 'localhost'}:${port || '5432'}`;
  } catch {
    return 'an address that cannot be read';
  }
}

/** The SQLSTATE behind a thrown value, translated or not; null when there is none. */
export function sqlStateOf(thrown: unknown): string | null {
  if (thrown instanceof RepotideError) return sqlStateOf(thrown.cause);
  // An error of the socket has a code as well: EPIPE looks like an SQLSTATE.
  if (thrown instanceof Error && 'syscall' in thrown) return null;
  if (thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string') {
    return /^[0-9A-Z]{5}$/.test(thrown.code) ? thrown.code : null;
  }
  return null;
}

/** Whether a statement violated this unique constraint or index. */
export function isUniqueViolation(thrown: unknown, constraint: string): boolean {
  return (
    thrown instanceof RepotideError &&
    sqlStateOf(thrown) === SQLSTATE.uniqueViolation &&
    thrown.details.constraint === constraint
  );
}

/** A row that another one makes impossible, by a unique constraint. */
export interface Twin {
  constraint: string;
  code: string;
  message: string;
  details?: Record<string, unknown>;
}

/** @throws conflict with the code of the twin, when the write violates its constraint. */
export async function refusingTwin<T>(twin: Twin, write: () => Promise<T>): Promise<T> {
  const { constraint, code, message, details = {} } = twin;
  try {
    return await write();
  } catch (cause) {
    if (!isUniqueViolation(cause, constraint)) throw cause;
    throw new RepotideError('conflict', code, message, { cause, details });
  }
}

/** A connection could not be opened or was lost; the outcome of statements in flight is unknown. */
export function unreachable(thrown: unknown, address: string, usesTls = false): RepotideError {
  const message = `Postgres at ${address} cannot be reached (${messageOf(thrown)}). Check that it runs and that DATABASE_URL names it.${tlsAdvice(messageOf(thrown), TLS_DIR, usesTls)}`;
  const options = { cause: withoutRowData(thrown), details: { address } };
  return new RepotideError('temporary', 'database_unreachable', message, options);
}

/** Translates what pg throws. `detail`, `where` and parameters may hold row values, so they are dropped. */
export function translateDatabaseError(thrown: unknown, address: string): RepotideError {
  if (thrown instanceof RepotideError) return thrown;
  const sqlState = sqlStateOf(thrown);
  if (sqlState === null) {
    if (thrown instanceof TypeError || thrown instanceof RangeError) {
      return new RepotideError('internal', 'database_error', thrown.message, { cause: thrown });
    }
    return unreachable(thrown, address);
  }
  const [kind, code, advice] = meaningOf(sqlState);
  const { constraint } = thrown as Partial<pg.DatabaseError>;
  const message =
    `Postgres at ${address}: ${messageOf(thrown)}. ${advice}`.trim() +
    tlsAdvice(messageOf(thrown), TLS_DIR, true);
  const options = {
    cause: withoutRowData(thrown),
    details: { sqlstate: sqlState, ...(constraint === undefined ? {} : { constraint }) },
  };
  return new RepotideError(kind, code, message, options);
}

function meaningOf(sqlState: string): [RepotideError['kind'], string, string] {
  switch (sqlState) {
    case SQLSTATE.invalidAuthorization:
    case SQLSTATE.invalidPassword:
      return ['unauthorized', 'database_credentials_rejected', 'Change user or password in DATABASE_URL.'];
    case SQLSTATE.unknownDatabase:
      return ['invalid', 'database_missing', 'Create the database or change its name in DATABASE_URL.'];
    case SQLSTATE.insufficientPrivilege:
      return ['forbidden', 'database_privilege_missing', 'Grant the privilege to the user of DATABASE_URL.'];
    case SQLSTATE.undefinedTable:
      return ['invalid', 'schema_outdated', 'Run "repotide migrate".'];
    case SQLSTATE.serializationFailure:
    case SQLSTATE.deadlockDetected:
      return ['temporary', 'database_contention', ''];
    case SQLSTATE.lockNotAvailable:
    case SQLSTATE.queryCancelled:
      return ['temporary', 'database_timeout', 'The statement took too long or waited too long for a lock.'];
    case SQLSTATE.diskFull:
      return ['temporary', 'database_disk_full', 'Give the database more disk.'];
    default:
      if (SERVER_TROUBLE.test(sqlState)) {
        return ['temporary', 'database_unreachable', 'Check its log, and DATABASE_URL.'];
      }
      if (VALUE_TROUBLE.test(sqlState)) {
        return ['invalid', 'value_refused', 'Correct the value.'];
      }
      return ['internal', 'database_error', `SQLSTATE ${sqlState}.`];
  }
}

/** By its shape, not by its class: a bundle may hold a second copy of pg, whose errors are of another class. */
function withoutRowData(thrown: unknown): unknown {
  if (sqlStateOf(thrown) === null) return thrown;
  const { message, stack, code, constraint, table } = thrown as pg.DatabaseError;
  return Object.assign(new Error(message), { name: 'DatabaseError', stack, code, constraint, table });
}

/** @throws not_found, for example `schedule_not_found`. */
export function notFound(what: string, id: string): never {
  throw new RepotideError('not_found', `${what}_not_found`, `There is no ${what} ${id}.`, {
    details: { [`${what}_id`]: id },
  });
}

/** For a statement that always returns a row. */
export function noRow(): never {
  throw new RepotideError('internal', 'database_error', 'A statement returned no row.');
}

/** @throws conflict `revision_mismatch` */
export function refuseOldRevision(what: string, found: number, expected: number | undefined): void {
  if (expected === undefined || expected === found) return;
  const message = `The ${what} is at revision ${found}, not ${expected}: it was edited since. Read it again and repeat the edit.`;
  throw new RepotideError('conflict', 'revision_mismatch', message, { details: { found, expected } });
}
