import { isChosenPassword } from './chosen-passwords.js';
import { type SecretFinding } from './finding.js';
import { CODE_PLACES } from './places-in-code.js';
import { COMMAND_PLACES } from './places-in-commands.js';
import { FILE_PLACES } from './places-in-files.js';

const PLACES = [...FILE_PLACES, ...COMMAND_PLACES, ...CODE_PLACES];

export const PLACE_HINTS: readonly string[] = PLACES.flatMap(({ hints }) => hints);

/**
 * Finds passwords that follow a command, a directive or columns instead of a name and a sign.
 * @param present those of {@link PLACE_HINTS} that the text contains.
 */
export function findArguments(text: string, present: ReadonlySet<string>): SecretFinding[] {
  const places = PLACES.filter(({ hints }) => hints.some((hint) => present.has(hint)));
  return places.flatMap(({ pattern }) => {
    return [...text.matchAll(pattern)].flatMap((match) => {
      const secret = match.groups?.['secret'] ?? match.groups?.['second'] ?? match.groups?.['third'] ?? '';
      if (!isChosenPassword(secret)) return [];
      const start = match.index + match[0].lastIndexOf(secret);
      return [{ rule: 'password', start, end: start + secret.length }];
    });
  });
}
