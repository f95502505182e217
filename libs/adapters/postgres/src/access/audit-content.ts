import { type AuditEntry, type AuditLink, type AuditRecord } from '@core/domain';
import { columnName, propertyName } from '../sql/rows.js';

/** A row of `audit_records`. */
export type AuditRow = AuditLink & { content: string };

/** The content of a record as it is hashed: canonical JSON (RFC 8785) without empty members. */
export function contentOf(record: AuditRecord): string {
  const members = Object.entries(record).filter(([, value]) => value !== null && value !== undefined);
  return JSON.stringify(
    sorted(Object.fromEntries(members.map(([name, value]) => [columnName(name), value as unknown]))),
  );
}

/** The members of all objects in the order of their names, by UTF-16 units. */
function sorted(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string') return storable(value);
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [storable(name), sorted(member)]));
}

/** Postgres reads no NUL and no lone surrogate in JSON. */
function storable(text: string): string {
  return text.replace(/[\0\p{Surrogate}]/gu, '\u{FFFD}');
}

const EMPTY: Omit<AuditEntry, keyof AuditLink | 'at' | 'kind' | 'action'> = {
  ...{ actorId: null, actorName: null, actorRole: null, clientAddress: null, method: null, route: null },
  ...{ requestId: null, subjectType: null, subjectId: null, repositoryIds: null, path: null, lines: null },
  ...{ queryHash: null, reason: null, outcome: null, errorCode: null, changes: null },
  ...{ beginId: null, calls: null, lastAt: null },
};

export function entryOf({ content, ...link }: AuditRow): AuditEntry {
  const members = Object.entries(JSON.parse(content) as Record<string, unknown>);
  const given = Object.fromEntries(members.map(([name, value]) => [propertyName(name), value]));
  const { at, lastAt } = given as { at: string; lastAt?: string };
  const instants = { at: new Date(at), lastAt: lastAt === undefined ? null : new Date(lastAt) };
  return { ...EMPTY, ...(given as unknown as Pick<AuditEntry, 'kind' | 'action'>), ...instants, ...link };
}

/** One line of an export. Without its first three members it is the content, character by character. */
export function lineOf({ id, previousHash, hash, content }: AuditRow): string {
  return `{"id":${id},"previous_hash":"${previousHash}","hash":"${hash}",${content.slice(1)}\n`;
}
