/** The page that an address asks for, from 0; the first where it asks for none, or for nonsense. */
export function pageOf({ page = '0' }: Readonly<Record<string, string>>): number {
  return /^\d{1,6}$/.test(page) ? Number(page) : 0;
}
