/** The text fields of the form that an event came from, by name, without the space around them. */
export function valuesOf(event: Event): Record<string, string> {
  const entries = [...new FormData(event.currentTarget as HTMLFormElement)];
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'string' ? value.trim() : '']),
  );
}
