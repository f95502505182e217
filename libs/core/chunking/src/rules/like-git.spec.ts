import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { GitAttributes } from './git-attributes.js';
import { ignoreListOf } from './ignore-list.js';
import { ruleLinesOf, type RuleFile } from './rule-file.js';

/** Few names, so that patterns hit and miss about as often. */
const NAMES = [
  'a',
  'b',
  'ab',
  'b.x',
  'a[b',
  '.a',
  'a b',
  'é',
  'aéb',
  'B',
  '5',
  'a]',
  'a-b',
  'aab',
  'a*b',
  '-',
];
const PARTS = [
  'a',
  'b',
  'ab',
  '*',
  '**',
  '?',
  'a*',
  '*.x',
  '[ab]',
  '[!a]',
  '[^a]b',
  'a\\[b',
  '.a',
  '[a-b]*',
  '\\a',
  '**b',
  'a**',
  '***',
  '*a*b',
  '*a*?b*',
  '??',
  'a?b',
  '[é]',
  '[]a]',
  '[!]a]*',
  '[]-a]',
  '[a-]',
  '[--a]',
  '[[:alpha:]]',
  '[^[:alpha:][:digit:]]*',
  '[[:nothing:]]',
  '[[:]',
  '[[:alpha:]-z]',
  '[\\]]*',
  '[a-\\b]b',
  '[b-a]',
  '[a',
  '[',
  'a\\*b',
  '**\\',
  '*\\',
  'é',
  '[a/b]',
  'a ',
  'a\\ ',
  '#a',
  '\\!a',
  '!a',
];
const SEPARATORS = ['/', '/', '/', '/', '/', '\\/', '', '//'];
const SEED = Number(process.env['RULES_SEED'] ?? 20_261_121);
const RUNS = Number(process.env['RULES_RUNS'] ?? 150);

const path = fc
  .array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('/'));
const paths = fc.uniqueArray(path, { minLength: 5, maxLength: 20 });
const pattern = fc
  .record({
    parts: fc.array(fc.tuple(fc.constantFrom(...PARTS), fc.constantFrom(...SEPARATORS)), {
      minLength: 1,
      maxLength: 4,
    }),
    lead: fc.constantFrom('', '', '/'),
    trail: fc.constantFrom('', '', '', '/', '/**'),
  })
  .map(({ parts, lead, trail }) => {
    const text = parts.map(([part, separator], index) => (index > 0 ? separator : '') + part).join('');
    return `${lead}${text}${trail}`;
  });

const folder = fc.constantFrom('', '', 'a/', 'a/b/', 'a[b/');
function filesNamed(name: string, line: fc.Arbitrary<string>): fc.Arbitrary<RuleFile[]> {
  const file = fc.record({ folder, lines: fc.array(line, { minLength: 1, maxLength: 4 }) });
  return fc
    .uniqueArray(file, { minLength: 1, maxLength: 3, selector: (entry) => entry.folder })
    .map((files) =>
      files.map((entry) => ({
        path: `${entry.folder}${name}`,
        blobSha: 'x',
        text: `${entry.lines.join('\n')}\n`,
      })),
    );
}

describe('rule files decide like git', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'repotide-rules-'));
    git(['init', '-q']);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  function git(words: string[], input = ''): string {
    const environment = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
    const done = spawnSync('git', words, { cwd: directory, input, encoding: 'utf8', env: environment });
    if (done.status !== 0 && done.status !== 1) throw new Error(`git ${words[0]}: ${done.stderr}`);
    return done.stdout;
  }

  /** Git reads them from the work tree under its own name. */
  function put(files: readonly RuleFile[], name: string): void {
    for (const entry of readdirSync(directory)) {
      if (entry !== '.git') rmSync(join(directory, entry), { recursive: true, force: true });
    }
    for (const file of files) {
      const target = join(directory, dirname(file.path), name);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, file.text ?? '');
    }
  }

  it('which files are ignored', () => {
    const line = fc
      .tuple(fc.constantFrom('', '', '!'), pattern)
      .map(([negation, text]) => `${negation}${text}`);
    let ignoredInAll = 0;
    fc.assert(
      fc.property(filesNamed('.repotideignore', line), paths, (files, candidates) => {
        put(files, '.gitignore');
        // A path cannot be both a folder and a file.
        const asked = candidates.filter((text) => !files.some((file) => file.path.startsWith(`${text}/`)));
        const answer = git(['check-ignore', '--no-index', '--stdin', '-z'], asked.join('\0'));
        const expected = answer.split('\0').filter((text) => text !== '');
        const list = ignoreListOf(ruleLinesOf(files).ignores);
        const found = asked.filter((text) => list.verdictOn(text).kind === 'ignored');
        ignoredInAll += expected.length;
        expect(found.sort()).toEqual(expected.sort());
      }),
      { seed: SEED, numRuns: RUNS },
    );
    expect(ignoredInAll).toBeGreaterThan(100);
  });

  it('which attributes a file has', () => {
    const words = fc.constantFrom(
      'generated',
      '-generated',
      'generated=false',
      '!generated',
      'binary',
      '-binary',
      'mine',
      '!mine',
      'diff',
      '-diff',
      'diff=x',
      'binary diff',
      'diff -generated binary generated',
      '-mine=x',
      'not+valid generated',
    );
    const macro = fc.constantFrom(
      '[attr]mine generated -diff',
      '[attr]mine binary',
      '[attr]binary -text',
      '[attr] generated',
    );
    const rule = fc.tuple(pattern, words).map(([text, word]) => `${text} ${word}`);
    const line = fc.oneof({ weight: 8, arbitrary: rule }, { weight: 1, arbitrary: macro });
    let saidInAll = 0;
    fc.assert(
      fc.property(filesNamed('.gitattributes', line), paths, (files, asked) => {
        put(files, '.gitattributes');
        const answer = git(['check-attr', '-z', '--stdin', 'generated', 'diff'], asked.join('\0'));
        const fields = answer.split('\0').slice(0, -1);
        const attributes = new GitAttributes(ruleLinesOf(files).attributes, ['generated', 'diff']);
        for (let index = 0; index < fields.length; index += 3) {
          const [askedPath = '', attribute = '', expected] = fields.slice(index, index + 3);
          const found = wordFor(attributes.verdictsOn(askedPath).get(attribute)?.value);
          expect([askedPath, attribute, found]).toEqual([askedPath, attribute, expected]);
          if (expected !== 'unspecified') saidInAll++;
        }
      }),
      { seed: SEED, numRuns: RUNS },
    );
    expect(saidInAll).toBeGreaterThan(100);
  });
});

function wordFor(value: boolean | string | null | undefined): string {
  if (value === undefined || value === null) return 'unspecified';
  if (typeof value === 'string') return value;
  return value ? 'set' : 'unset';
}
