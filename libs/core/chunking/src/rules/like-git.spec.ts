import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { GitAttributes } from './git-attributes.js';
import { ignoreListOf } from './ignore-list.js';
import { type RuleFile } from './rule-file.js';

/** Few names, so that patterns hit and miss about as often. */
const NAMES = ['a', 'b', 'ab', 'b.x', 'a[b', '.a', 'a b'];
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
];
const SEED = 20_261_121;

const path = fc
  .array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('/'));
const paths = fc.uniqueArray(path, { minLength: 5, maxLength: 20 });
const pattern = fc
  .record({
    parts: fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 3 }),
    lead: fc.constantFrom('', '', '/'),
    trail: fc.constantFrom('', '', '', '/', '/**'),
  })
  .map(({ parts, lead, trail }) => `${lead}${parts.join('/')}${trail}`);

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
    rmSync(join(directory, 'a'), { recursive: true, force: true });
    rmSync(join(directory, 'a[b'), { recursive: true, force: true });
    rmSync(join(directory, name), { force: true });
    for (const file of files) {
      const target = join(directory, dirname(file.path), name);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, file.text);
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
        const list = ignoreListOf(files);
        const found = asked.filter((text) => list.verdictOn(text).kind === 'ignored');
        ignoredInAll += expected.length;
        expect(found.sort()).toEqual(expected.sort());
      }),
      { seed: SEED, numRuns: 150 },
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
      'diff',
      '-diff',
    );
    const line = fc.tuple(pattern, words).map(([text, word]) => `${text} ${word}`);
    let saidInAll = 0;
    fc.assert(
      fc.property(filesNamed('.gitattributes', line), paths, (files, asked) => {
        put(files, '.gitattributes');
        const answer = git(['check-attr', '-z', '--stdin', 'generated', 'diff'], asked.join('\0'));
        const fields = answer.split('\0').slice(0, -1);
        const attributes = new GitAttributes(files);
        for (let index = 0; index < fields.length; index += 3) {
          const [askedPath = '', attribute = '', expected] = fields.slice(index, index + 3);
          const found = wordFor(attributes.verdictOn(askedPath, attribute)?.value);
          expect([askedPath, attribute, found]).toEqual([askedPath, attribute, expected]);
          if (expected !== 'unspecified') saidInAll++;
        }
      }),
      { seed: SEED, numRuns: 150 },
    );
    expect(saidInAll).toBeGreaterThan(100);
  });
});

function wordFor(value: boolean | string | null | undefined): string {
  if (value === undefined || value === null) return 'unspecified';
  if (typeof value === 'string') return value;
  return value ? 'set' : 'unset';
}
