import { RepotideError } from '@core/domain';

/**
 * Adds the field to an error, so that the answer lists it under `errors`.
 * @param fieldByCode the field for each error code; errors with other codes stay unchanged.
 */
export function naming(thrown: unknown, fieldByCode: Readonly<Record<string, string>>): unknown {
  if (!(thrown instanceof RepotideError)) return thrown;
  const field = fieldByCode[thrown.code];
  if (field === undefined) return thrown;
  // Not a 404: an unknown project or branch is an invalid value in the body, while the URL is correct.
  return new RepotideError('invalid', thrown.code, thrown.message, {
    cause: thrown,
    details: { ...thrown.details, field },
  });
}
