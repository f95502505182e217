import { describe, expect, it } from '@jest/globals';
import { classifyPath, compileFileRules, type RuleSources } from '../file-rules.js';
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
  ])('leave out %s', (path, reason, pattern) => {
    expect(classify(path)).toEqual({ reason, detail: `default rule "${pattern}"` });
  });

  it.each([
    'src/vendor.ts',
    'build/release.sh',
    'lib/target/x.ts',
    '.env.example',
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
