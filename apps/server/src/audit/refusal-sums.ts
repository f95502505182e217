import { type AuditRecord } from '@core/domain';
import { clientNetwork } from '../http/client-address.js';

/** Kinds of refusals that are recorded one by one in a minute. */
const MOST_KINDS = 200;

interface Sum {
  record: AuditRecord;
  calls: number;
  lastAt: Date;
}

/**
 * Sums the refusals of one client for one reason, so that a client that guesses cannot fill the audit log: a minute has at
 * most two records of it, and of all clients together some hundred.
 */
export class RefusalSums {
  private sums = new Map<string, Sum>();

  /** @returns the record if it is the first of its kind; null if it is counted. */
  add(record: AuditRecord): AuditRecord | null {
    const known = this.sums.get(keyOf(record));
    const isFull = this.sums.size >= MOST_KINDS;
    const key = known || !isFull ? keyOf(record) : '';
    const sum = known ?? this.sums.get(key);
    if (sum) {
      sum.calls += 1;
      sum.lastAt = record.at;
      return null;
    }
    const kept = isFull ? anonymous(record) : record;
    this.sums.set(key, { record: kept, calls: 0, lastAt: record.at });
    return kept;
  }

  /** Ends the minute. @returns a record for each kind that was counted. */
  close(): AuditRecord[] {
    const counted = [...this.sums.values()].filter(({ calls }) => calls > 0);
    this.sums = new Map();
    return counted.map(({ record, calls, lastAt }) => ({ ...record, calls, lastAt }));
  }
}

function keyOf({ clientAddress, actorId, errorCode }: AuditRecord): string {
  return `${clientNetwork(clientAddress ?? '')} ${actorId ?? ''} ${errorCode ?? ''}`;
}

/** A record that stands for many clients. */
function anonymous({ at, kind, action, outcome }: AuditRecord): AuditRecord {
  return { at, kind, action, ...(outcome && { outcome }) };
}
