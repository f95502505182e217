import { type RepotideError } from '@core/domain';

/** Whether another file may still be read, or prepared, after this failure. */
export function isFaultOfOneFile({ kind, code }: RepotideError): boolean {
  switch (kind) {
    case 'not_found':
      // The project itself is gone or hidden: every further file would answer the same.
      return code !== 'project_not_found';
    case 'temporary':
    case 'invalid':
    case 'internal':
      return true;
    case 'rate_limited':
    case 'unauthorized':
    case 'forbidden':
    case 'conflict':
    case 'cancelled':
    case 'fence_lost':
      return false;
  }
}
