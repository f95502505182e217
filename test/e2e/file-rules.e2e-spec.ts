import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SKIP_REASONS } from '@core/domain';
import { createGitRepository, startGitLabStandIn, type GitLabStandIn } from '@devkit';
import { createInstallation, type Installation, type Service } from '../support/installation.js';
import { executionThat, isOver, startSync } from '../support/service-resources.js';

/** Each excluded path and the reason that the API must show for it. */
const EXPECTED: Readonly<Record<string, readonly [reason: string, detail: RegExp]>> = {
  'lib/sub': ['submodule', /^at commit b{40}$/],
  'src/link.ts': ['symlink', /^mode 120000$/],
  'src/app.spec.ts': ['excluded', /^matches "\*\*\/\*\.spec\.ts"$/],
  'other/outside.ts': ['not_included', /^matches none of 2 include globs$/],
  'src/private/plan.md': ['ignored', /^\.repotideignore line 1: "src\/private\/"$/],
  'src/api.gen.ts': ['generated', /^src\/\.gitattributes line 1: "\*\.gen\.ts linguist-generated"$/],
  'src/copied.c': ['vendored', /^src\/\.gitattributes line 2: "copied\.c linguist-vendored"$/],
  'src/table.dat': ['marked_binary', /^src\/\.gitattributes line 3: "\*\.dat binary"$/],
  'lib/package-lock.json': ['generated', /^default rule "package-lock\.json"$/],
  'lib/vendor/part.go': ['vendored', /^default rule "vendor\/"$/],
  'lib/dist/out.js': ['generated', /^default rule "dist\/"$/],
  'src/tls/server.key': ['secret', /^default rule "\*\.key"$/],
  'src/large.ts': ['too_large', /5000/],
  'src/bundle.js': ['minified', /^longest line 3000 characters/],
  'src/model.bin': ['lfs_pointer', /^pointer to a file of 12345 bytes in Git LFS$/],
  'src/picture.png': ['binary', /PNG/],
  'src/zeros.raw': ['binary', /^NUL byte at offset 1$/],
  'src/cyrillic.txt': ['unsupported_encoding', /^not UTF-8/],
  'src/empty.ts': ['empty', /^0 bytes$/],
  'src/blank.ts': ['empty', /^only whitespace$/],
};
const INDEXED = ['src/.gitattributes', 'src/app.ts', 'lib/vendor/ours.go'];

let directory: string;
let gitlab: GitLabStandIn;
let installation: Installation;
let service: Service;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'repotide-rules-'));
  const git = await createGitRepository(join(directory, 'git'), { bare: true });
  git.writeAll({
    '.repotideignore': 'src/private/\n!lib/vendor/ours.go\n',
    'src/.gitattributes': '*.gen.ts linguist-generated\ncopied.c linguist-vendored\n*.dat binary\n',
    'src/app.ts': 'export const app = 1;\n',
    'src/app.spec.ts': 'export const spec = 1;\n',
    'other/outside.ts': 'export const outside = 1;\n',
    'src/private/plan.md': '# Plan\n',
    'src/api.gen.ts': 'export const api = 1;\n',
    'src/copied.c': 'int copied;\n',
    'src/table.dat': 'one two three\n',
    'lib/package-lock.json': '{ "lockfileVersion": 3 }\n',
    'lib/vendor/part.go': 'package part\n',
    'lib/vendor/ours.go': 'package ours\n',
    'lib/dist/out.js': 'run();\n',
    'src/tls/server.key': 'a key\n',
    'src/large.ts': 'export const large = 1;\n'.repeat(400),
    'src/bundle.js': 'x='.repeat(1500),
    'src/picture.png': Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    'src/zeros.raw': Buffer.from([1, 0, 2, 0, 0]),
    'src/cyrillic.txt': Buffer.from('cff0e8e2e5f220ece8f020cff0e8e2e5f2', 'hex'),
    'src/empty.ts': '',
    'src/blank.ts': ' \n\t\n',
  });
  git.lfsPointer('src/model.bin', { oid: 'a'.repeat(64), sizeBytes: 12_345 });
  git.submodule('lib/sub', 'b'.repeat(40)).symlink('src/link.ts', 'app.ts');
  await git.commit();
  gitlab = await startGitLabStandIn();
  await gitlab.addProject({ path: 'team/rules', gitDir: git.directory, defaultBranch: 'main' });
  installation = await createInstallation({ GITLAB_URL: gitlab.url, GITLAB_TOKEN: gitlab.token });
  service = await installation.serve();
});

afterAll(async () => {
  await service.stop();
  await installation.remove();
  await gitlab.stop();
  await rm(directory, { recursive: true, force: true });
});

interface FileRow {
  path: string;
  status: string;
  skip_reason: string | null;
  skip_detail: string | null;
}

describe('files that are not indexed', () => {
  it('are listed by the API, each with the rule that skipped it, for every kind of rule', async () => {
    const { id } = await service.post<{ id: string }>('/api/v1/repositories', {
      project_path: 'team/rules',
      include_globs: ['src/**', 'lib/**'],
      exclude_globs: ['**/*.spec.ts'],
      max_file_bytes: 5000,
    });
    const { status } = await executionThat(service, await startSync(service, { id }), isOver);
    expect(status).toBe('completed');

    const { items } = await service.get<{ items: FileRow[] }>(
      `/api/v1/repositories/${id}/files?status=skipped&limit=200`,
    );
    const said = Object.fromEntries(items.map((row) => [row.path, [row.skip_reason, row.skip_detail]]));
    expect(said).toEqual({
      '.repotideignore': ['not_included', 'matches none of 2 include globs'],
      ...Object.fromEntries(
        Object.entries(EXPECTED).map(([path, [reason, detail]]) => [
          path,
          [reason, expect.stringMatching(detail)],
        ]),
      ),
    });
    // Fails when a new reason is not covered by this test. No known content is too costly; its test is that of the threads.
    const reasons = SKIP_REASONS.filter((reason) => reason !== 'too_costly');
    expect(new Set(items.map((row) => row.skip_reason))).toEqual(new Set(reasons));
    const indexed = await service.get<{ items: FileRow[] }>(
      `/api/v1/repositories/${id}/files?status=indexed&limit=200`,
    );
    expect(indexed.items.map(({ path }) => path).sort()).toEqual([...INDEXED].sort());
  });
});
