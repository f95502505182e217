import { describe, expect, it } from '@jest/globals';
import { classifyPath, compileFileRules, type FileRules, type RuleSources } from '../file-rules.js';
import { shownPath } from '../secrets/screen-text.js';
import { type RuleFile } from './rule-file.js';
import { ruleFilesFingerprint } from './tree-rules.js';

function classify(path: string, files: Record<string, string> = {}, sources: RuleSources = {}) {
  const ruleFiles = Object.entries(files).map(([file, text]) => ({ path: file, blobSha: 'x', text }));
  const rules = compileFileRules({ includeGlobs: [], excludeGlobs: [] }, { ruleFiles, ...sources });
  return classifyPath({ path, mode: '100644', blobSha: 'a'.repeat(40) }, rules);
}

describe('the default rules', () => {
  it.each([
    ['node_modules/left/index.js', 'vendored', 'node_modules/'],
    ['packages/web/node_modules/x.js', 'vendored', 'node_modules/'],
    ['vendor/github.com/x/y.go', 'vendored', 'vendor/'],
    ['web/dist/app.js', 'generated', 'dist/'],
    ['package-lock.json', 'generated', 'package-lock.json'],
    ['static/jquery.min.js', 'generated', '*.min.js'],
    ['api/v1/service.pb.go', 'generated', '*.pb.go'],
    ['deploy/.env', 'secret', '.env'],
    ['deploy/.env.production', 'secret', '.env.*'],
    ['keys/id_rsa', 'secret', 'id_rsa'],
    ['tls/server.pem', 'secret', '*.pem'],
    ['tls/Server.PEM', 'secret', '*.pem'],
    ['.ENV', 'secret', '.env'],
    ['.envrc', 'secret', '.envrc'],
    ['deploy/prod.env', 'secret', '*.env'],
    ['infra/prod.auto.tfvars', 'secret', '*.tfvars'],
    ['config/secrets.yml', 'secret', 'secrets.yml'],
    ['config/Secrets.yaml', 'secret', 'secrets.yaml'],
  ])('leave out %s', (path, reason, pattern) => {
    expect(classify(path)).toEqual({ reason, detail: `default rule "${pattern}"` });
  });

  it.each([
    'src/vendor.ts',
    'build/release.sh',
    'lib/target/x.ts',
    '.env.example',
    'deploy/example.env',
    'infra/example.tfvars',
    'src/secrets.ts',
    'src/vendors/a.ts',
    'dist.md',
  ])('keep %s', (path) => expect(classify(path)).toBeNull());

  it.each([
    ['vendor/ours/a.go', '!vendor/**'],
    ['vendor/ours/a.go', '!vendor/'],
    ['vendor/ours/a.go', '!/vendor/ours'],
    ['package-lock.json', '!package-lock.json'],
    ['deploy/.env', '!.env'],
  ])('are taken back for %s by %s', (path, pattern) => {
    expect(classify(path, { '.repotideignore': `${pattern}\n` })).toBeNull();
    expect(classify('node_modules/x.js', { '.repotideignore': `${pattern}\n` })?.reason).toBe('vendored');
  });

  it('exclude a file whose path contains a secret, whatever other rules say', () => {
    const token = `gl${'pat-'}Xk29sLq8Zr41Wm77Tn05`;
    for (const path of [`notes/${token}.md`, `backup-${token}/readme.md`, `vendor/${token}.go`]) {
      const verdict = classify(path, { '.repotideignore': '!*\n' });
      expect(verdict).toEqual({ reason: 'secret', detail: 'the path contains a secret: gitlab-token' });
    }
    expect(classify(`notes/${token}.md`, {}, { skipSecretFiles: false })).toBeNull();
    expect(shownPath(`notes/${token}/a.md`)).toBe('notes/[redacted:gitlab-token]/a.md');
    expect(shownPath('src/20261122-add-long-column-names.sql')).toBe(
      'src/20261122-add-long-column-names.sql',
    );
  });

  it('exclude secret files only while the secrets policy is on', () => {
    expect(classify('.env', {}, { skipSecretFiles: false })).toBeNull();
  });
});

describe('.repotideignore', () => {
  const files = {
    '.repotideignore': '# ours\n\ndocs/**\n!docs/guide.md\r\n*.sql\n',
    'db/.repotideignore': '!*.sql\n/seed\n',
  };

  it('excludes matching files, with the line of the pattern', () => {
    expect(classify('docs/a/b.md', files)).toEqual({
      reason: 'ignored',
      detail: '.repotideignore line 3: "docs/**"',
    });
    expect(classify('db/seed/x.ts', files)).toEqual({
      reason: 'ignored',
      detail: 'db/.repotideignore line 2: "/seed"',
    });
  });

  it('lets a later line and a deeper file win', () => {
    expect(classify('docs/guide.md', files)).toBeNull();
    expect(classify('db/schema.sql', files)).toBeNull();
    expect(classify('schema.sql', files)?.detail).toBe('.repotideignore line 5: "*.sql"');
  });
});

describe('.gitattributes', () => {
  const files = {
    '.gitattributes': [
      '*.gen.ts linguist-generated',
      '/third_party/** -linguist-vendored',
      'assets/** linguist-vendored=true',
      '*.dat binary',
      '*.svg -diff',
      '* -text',
      'docs/** linguist-documentation',
      'snapshots/** linguist-generated=false',
    ].join('\n'),
    'lib/.gitattributes': '*.gen.ts -linguist-generated\n*.dat diff\n',
  };

  it.each([
    ['src/api.gen.ts', 'generated', '.gitattributes line 1: "*.gen.ts linguist-generated"'],
    ['assets/x.js', 'vendored', '.gitattributes line 3: "assets/** linguist-vendored=true"'],
    ['x.dat', 'marked_binary', '.gitattributes line 4: "*.dat binary"'],
    ['logo.svg', 'marked_binary', '.gitattributes line 5: "*.svg -diff"'],
  ])('leaves out %s', (path, reason, detail) => {
    expect(classify(path, files)).toEqual({ reason, detail });
  });

  it.each(['lib/api.gen.ts', 'lib/x.dat', 'third_party/ours.c', 'docs/a.md', 'src/a.ts', 'snapshots/a.ts'])(
    'keeps %s',
    (path) => expect(classify(path, files)).toBeNull(),
  );

  it('yields to .repotideignore', () => {
    expect(classify('src/api.gen.ts', { ...files, '.repotideignore': '!src/*.gen.ts' })).toBeNull();
  });
});

describe('rules that cannot be used', () => {
  const file = (path: string, text: string | null) => ({ path, blobSha: 'x', text });
  const rulesOf = (...ruleFiles: RuleFile[]) =>
    compileFileRules({ includeGlobs: [], excludeGlobs: [] }, { ruleFiles });
  const isKept = (rules: FileRules, path: string) =>
    classifyPath({ path, mode: '100644', blobSha: 'a' }, rules) === null;

  it('are named with their line, and the other rules of the file apply', () => {
    const lines = ['*.one', `*.${'x'.repeat(3000)}`, '*.\uFFFD', `*.${'y'.repeat(3000)}`, '*.two'];
    const rules = rulesOf(file('docs/.repotideignore', lines.join('\n')));
    expect(isKept(rules, 'docs/a.one')).toBe(false);
    expect(isKept(rules, 'docs/a.two')).toBe(false);
    const path = 'docs/.repotideignore';
    expect(rules.tree.warnings).toEqual([
      {
        ...{ code: 'rule_ignored', path, line: 2 },
        message: '2 rules have no effect: they are longer than 2048 bytes',
      },
      { code: 'rule_ignored', path, line: 3, message: 'this rule has no effect: it is not UTF-8 text' },
    ]);
  });

  it('are counted in all files together, blank lines and comments aside', () => {
    const many = Array.from({ length: 1500 }, (_, index) => `# ${index}\n\nf${index}.ts`).join('\n');
    const rules = rulesOf(
      file('.repotideignore', many),
      file('a/.gitattributes', many.replaceAll('.ts', '.ts -diff')),
    );
    expect(isKept(rules, 'f1499.ts')).toBe(false);
    expect(isKept(rules, 'a/f1499.ts')).toBe(false);
    expect(isKept(rules, 'b/f0.md')).toBe(true);
    expect(rules.tree.warnings).toEqual([
      {
        ...{ code: 'rule_ignored', path: 'a/.gitattributes', line: 1503 },
        message: 'the rules from here on have no effect: a tree may have 2000 rules',
      },
    ]);
  });

  it('may be a whole file', () => {
    const rules = rulesOf(file('.gitattributes', null), file('a/.repotideignore', '*.md\n'.repeat(30_000)));
    expect(rules.tree.warnings.map(({ path, line, message }) => [path, line, message])).toEqual([
      ['.gitattributes', null, 'it is larger than 131072 bytes and has no effect'],
      ['a/.repotideignore', null, 'it is larger than 131072 bytes and has no effect'],
    ]);
    expect(isKept(rules, 'a/b.md')).toBe(true);
  });

  it('may be macros beyond the limit', () => {
    const macros = Array.from({ length: 25 }, (_, index) => `[attr]m${index} -diff`);
    const rules = rulesOf(file('.gitattributes', [...macros, '*.a m0', '*.b m24'].join('\n')));
    expect([isKept(rules, 'x.a'), isKept(rules, 'x.b')]).toEqual([false, true]);
    expect(rules.tree.warnings.map(({ line }) => line)).toEqual([20, 21, 22, 23, 24, 25]);
  });
});

describe('hostile patterns', () => {
  // A regular expression for the same takes longer than any test may.
  const name = 'a'.repeat(4000);
  it.each([
    ['.repotideignore', `${'*a'.repeat(500)}b`],
    ['.repotideignore', `${'**/a/'.repeat(300)}b`],
    ['.gitattributes', `${'*a'.repeat(500)}b -diff`],
    ['.gitattributes', `${'*?a'.repeat(300)}b* -diff`],
    ['.gitattributes', `${'**/*a*/'.repeat(200)}b -diff`],
  ])('in %s cost no more than other ones: %.30s', (file, line) => {
    for (const path of [name, 'a/'.repeat(2000) + 'c', `${'aaaaaaa/'.repeat(500)}c`]) {
      expect(classify(path, { [file]: line })).toBeNull();
    }
  });
});

describe('ruleFilesFingerprint', () => {
  it('depends on paths and blobs, not on their order', () => {
    const one = { path: 'a/.gitattributes', blobSha: '1' };
    const two = { path: '.gitattributes', blobSha: '2' };
    expect(ruleFilesFingerprint([one, two])).toBe(ruleFilesFingerprint([two, one]));
    const others = [
      [],
      [one],
      [two],
      [one, two],
      [{ ...one, blobSha: '2' }, two],
      [{ ...one, path: 'b' }, two],
    ];
    expect(new Set(others.map(ruleFilesFingerprint)).size).toBe(others.length);
  });
});
