import { RecursiveCharacterTextSplitter, type SupportedTextSplitterLanguage } from '@langchain/textsplitters';

/** Languages whose constructs begin with the same words share the separators of the one that the splitter knows. */
const SPLITTER_LANGUAGES: ReadonlyMap<string, SupportedTextSplitterLanguage> = new Map([
  ['astro', 'html'],
  ['c', 'cpp'],
  ['cpp', 'cpp'],
  ['crystal', 'ruby'],
  ['csharp', 'java'],
  ['cuda', 'cpp'],
  ['cython', 'python'],
  ['go', 'go'],
  ['groovy', 'java'],
  ['html', 'html'],
  ['java', 'java'],
  ['javascript', 'js'],
  ['kotlin', 'java'],
  ['latex', 'latex'],
  ['markdown', 'markdown'],
  ['objective-c', 'cpp'],
  ['php', 'php'],
  ['protobuf', 'proto'],
  ['python', 'python'],
  ['restructuredtext', 'rst'],
  ['ruby', 'ruby'],
  ['rust', 'rust'],
  ['scala', 'scala'],
  ['solidity', 'sol'],
  ['svelte', 'html'],
  ['swift', 'swift'],
  ['typescript', 'js'],
  ['vue', 'html'],
]);

/** Paragraph, line, word, then anywhere: where any text may be cut, best first. */
const PLAIN = ['\n\n', '\n', ' ', ''];

/**
 * Where a text may be cut, best first. The structural places come from the splitter's own table; the plain ones
 * follow for every language (the splitter's HTML list lacks lines, and would cut tags at their attributes).
 */
export function separatorsFor(language: string | null, text: string): string[] {
  const known = language === null ? undefined : SPLITTER_LANGUAGES.get(language);
  const listed = known === undefined ? PLAIN : RecursiveCharacterTextSplitter.getSeparatorsForLanguage(known);
  const structural = [...listed.filter((separator) => !PLAIN.includes(separator)), '\n\n'];
  // A file with CRLF line ends is cut at the same places as the same file with LF.
  const matching = text.includes('\r\n')
    ? structural.map((separator) => separator.replaceAll('\n', '\r\n'))
    : structural;
  return [...matching, '\n', ' ', ''];
}
