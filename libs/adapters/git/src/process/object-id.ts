import { createHash } from 'node:crypto';
import { RepotideError } from '@core/domain';

/** Git checks the hash of an object when it arrives, and not when it is read from a pack. @throws internal `git_object_damaged`. */
export function assertIntact(id: string, type: 'tree' | 'blob', bytes: Uint8Array): void {
  const hash = createHash(id.length === 64 ? 'sha256' : 'sha1').update(`${type} ${bytes.length}\0`);
  if (hash.update(bytes).digest('hex') === id) return;
  throw objectDamaged(type, id);
}

export function objectDamaged(type: 'tree' | 'blob', id: string): RepotideError {
  const message = `The ${type} ${id} was damaged on the temporary disk of the pod. Check that disk.`;
  return new RepotideError('internal', 'git_object_damaged', message);
}
