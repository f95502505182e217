import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TreeEntry } from '@core/domain';

/** A git repository in a temporary folder, written by git itself. */
export class GitFixture {
  readonly dir = mkdtempSync(join(tmpdir(), 'repotide-gitlab-'));

  constructor() {
    this.git('init', '--quiet', '--initial-branch=main');
  }

  git(...args: string[]): Buffer {
    const env = {
      PATH: process.env['PATH'],
      HOME: this.dir,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'Ada',
      GIT_AUTHOR_EMAIL: 'ada@example.com',
      GIT_COMMITTER_NAME: 'Ada',
      GIT_COMMITTER_EMAIL: 'ada@example.com',
    };
    return execFileSync('git', args, { cwd: this.dir, env, maxBuffer: 64 * 1024 * 1024 });
  }

  write(path: string, content: string | Buffer): void {
    mkdirSync(dirname(join(this.dir, path)), { recursive: true });
    writeFileSync(join(this.dir, path), content);
  }

  link(path: string, target: string): void {
    symlinkSync(target, join(this.dir, path));
  }

  /** Adds an entry without a file, e.g. a submodule. */
  addToIndex(mode: string, sha: string, path: string): void {
    this.git('update-index', '--add', '--cacheinfo', `${mode},${sha},${path}`);
  }

  stage(): void {
    this.git('add', '--all');
  }

  /** Commits the index. */
  commit(message: string): string {
    this.git('commit', '--quiet', '--allow-empty', '--message', message);
    return this.git('rev-parse', 'HEAD').toString().trim();
  }

  /** The tree as git lists it, ordered by path. */
  listTree(commit: string): TreeEntry[] {
    const lines = this.git('ls-tree', '-r', '-z', commit).toString().split('\0').filter(Boolean);
    return sorted(
      lines.map((line) => {
        const [meta = '', path = ''] = [
          line.slice(0, line.indexOf('\t')),
          line.slice(line.indexOf('\t') + 1),
        ];
        const [mode = '', , blobSha = ''] = meta.split(' ');
        return { path, mode, blobSha };
      }),
    );
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

export function sorted(entries: readonly TreeEntry[]): TreeEntry[] {
  return [...entries].sort((a, b) => (a.path < b.path ? -1 : 1));
}
