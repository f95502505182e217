import { RepotideError } from '@core/domain';

/**
 * Names the field that a refusal speaks of, so that the answer lists it under `errors`.
 * @param fieldByCode the field behind each code; errors of other codes pass unchanged.
 */
export function naming(thrown: unknown, fieldByCode: Readonly<Record<string, string>>): unknown {
  if (!(thrown instanceof RepotideError)) return thrown;
  const field = fieldByCode[thrown.code];
  if (field === undefined) return thrown;
  // A project or branch that does not exist is a wrong value of this request, not a wrong address.
  return new RepotideError('invalid', thrown.code, thrown.message, {
    cause: thrown,
    details: { ...thrown.details, field },
  });
}
