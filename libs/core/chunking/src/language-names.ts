import { LANGUAGES, languageOf } from './language.js';

/** Usual names that are neither a language's own name nor an extension. */
const ALIASES: Readonly<Record<string, string>> = {
  'c#': 'csharp',
  'c++': 'cpp',
  'f#': 'fsharp',
  golang: 'go',
  node: 'javascript',
  nodejs: 'javascript',
  objc: 'objective-c',
  proto: 'protobuf',
  'shell script': 'shell',
  'visual basic': 'visualbasic',
  'vb.net': 'visualbasic',
  docker: 'dockerfile',
  make: 'makefile',
  plaintext: 'text',
};

/**
 * The name that search filters use, for any usual name: `py`, `.py`, `Python` and `python` are one language. An unknown
 * name is returned in lower case, so that it finds nothing instead of everything.
 */
export function languageNamed(name: string): string {
  const lower = name.trim().toLowerCase();
  const alias = ALIASES[lower];
  if (alias !== undefined) return alias;
  const key = lower.replace(/^\./, '');
  return LANGUAGES.has(key) ? key : (languageOf(`file.${key}`) ?? key);
}
