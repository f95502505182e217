import { RepotideError } from '@core/domain';

/** Mounted secrets often end with a line break, which no header may hold. @throws invalid `source_token_malformed`. */
export function wellFormed(token: string, setting: string): string {
  const trimmed = token.trim();
  if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  const found = trimmed === '' ? 'it is empty' : 'it holds spaces or characters outside ASCII';
  const message = `The token in ${setting} is not usable: ${found}. Expected e.g. "glpat-...".`;
  throw new RepotideError('invalid', 'source_token_malformed', message);
}
