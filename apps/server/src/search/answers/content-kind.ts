export const CONTENT_KINDS = ['code', 'docs', 'tests', 'config'] as const;
/** What a file is for, as its path and language show it. */
export type ContentKind = (typeof CONTENT_KINDS)[number];

const TEST_FOLDER = /(^|\/)(tests?|specs?|__tests__|testing|e2e|testdata|fixtures)\//i;
const TEST_FILE =
  /([._-](test|tests|spec|e2e-spec|int-spec)\.[^/.]+|(^|\/)test_[^/]+|Tests?\.(java|kt|cs|scala|swift|php))$/;
const DOCS = new Set(['markdown', 'restructuredtext', 'asciidoc', 'text', 'latex', 'bibtex']);
const CONFIG = new Set(
  (
    'yaml json toml ini dotenv xml hcl terraform dockerfile makefile cmake gomod ignore bicep jsonnet starlark just ' +
    'cue nix rego gotemplate puppet csv'
  ).split(' '),
);

export function kindOf(path: string, language: string | null): ContentKind {
  if (TEST_FOLDER.test(path) || TEST_FILE.test(path)) return 'tests';
  if (language !== null && DOCS.has(language)) return 'docs';
  return language !== null && CONFIG.has(language) ? 'config' : 'code';
}
