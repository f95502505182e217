import { RepotideError } from '@core/domain';

/** @throws conflict `revision_mismatch` */
export function refuseOldRevision(what: string, found: number, expected: number | undefined): void {
  if (expected === undefined || expected === found) return;
  throw new RepotideError(
    'conflict',
    'revision_mismatch',
    `The ${what} is at revision ${found}, not ${expected}: somebody edited it. Read it again and repeat the edit.`,
    { details: { found, expected } },
  );
}
