import { RecursiveCharacterTextSplitter, type SupportedTextSplitterLanguage } from '@langchain/textsplitters';

/** The splitter's language for each language; similar languages share one. */
const SPLITTER_LANGUAGES = new Map<string, SupportedTextSplitterLanguage>(
  Object.entries({
    cpp: 'c cpp cuda objective-c',
    go: 'go',
    html: 'astro html svelte vue',
    java: 'csharp groovy java kotlin',
    js: 'javascript typescript',
    latex: 'latex',
    markdown: 'markdown',
    php: 'php',
    proto: 'protobuf',
    python: 'cython python',
    rst: 'restructuredtext',
    ruby: 'crystal ruby',
    rust: 'rust',
    scala: 'scala',
    sol: 'solidity',
    swift: 'swift',
  }).flatMap(([known, languages]) =>
    languages.split(' ').map((language) => [language, known as SupportedTextSplitterLanguage] as const),
  ),
);

/** Separators for any text, best first: paragraph, line, word, anywhere. */
const PLAIN = ['\n\n', '\n', ' ', ''];

/**
 * Separators for a text, best first: those of its language from the splitter's table, then the plain ones (the
 * splitter's HTML list has no line break and would cut tags at their attributes).
 */
export function separatorsFor(language: string | null, text: string): string[] {
  const known = language === null ? undefined : SPLITTER_LANGUAGES.get(language);
  const listed = known === undefined ? PLAIN : RecursiveCharacterTextSplitter.getSeparatorsForLanguage(known);
  const structural = [...listed.filter((separator) => !PLAIN.includes(separator)), '\n\n'];
  // A file with CRLF line ends is cut like the same file with LF.
  const matching = text.includes('\r\n')
    ? structural.map((separator) => separator.replaceAll('\n', '\r\n'))
    : structural;
  return [...matching, '\n', ' ', ''];
}
