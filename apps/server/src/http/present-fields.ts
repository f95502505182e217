/** The fields that were given: an absent one means "leave as it is", which an undefined value would not say. */
export function presentFields<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
