import fc from 'fast-check';
import { type GitRepository } from '@devkit';
import { sourceText } from '../../../support/sync-world.js';

const EDIT_KINDS = [
  'add',
  'edit',
  'append',
  'delete',
  'rename',
  'rename_folder',
  'delete_folder',
  'copy',
  'chmod',
  'symlink',
  'submodule',
  'binary',
  'latin1',
  'damaged',
  'crlf',
  'bom',
  'utf16',
  'empty',
  'lfs_pointer',
  'too_large',
  'file_to_folder',
  'folder_to_file',
  'delete_all',
  'attributes',
] as const;

/** Names that collide as files and folders, that sort in unusual ways, and that are common in projects. */
const USUAL_PATHS = [
  'README.md',
  'a.ts',
  'a-b/x.ts',
  'a/x.ts',
  'a/y/z.py',
  'a/y/z2.py',
  'a0.md',
  'docs/guide.md',
  'docs/old/guide.md',
  'src/app.ts',
  'src/app.spec.ts',
  'src/lib/deep/down/file.go',
  'src.txt',
];
/** Names that need escaping, that look alike, or that have the maximum length. */
const ODD_PATHS = [
  'ü/\u{1f30a} & %2F #?.ts',
  'ü/\uff5e.md',
  ' two  blanks /and one after .md',
  '.hidden/.dots..ts',
  '..two dots.ts',
  'line\nbreak.ts',
  'tab\tand\r.md',
  'quote"back\\slash\'.ts',
  '100%/%2e%2e/50%.ts',
  'caf\u00e9.ts',
  'cafe\u0301.ts',
  'Readme.MD',
  '-rf.ts',
  ':(glob)*.ts',
  '[a-z]?{x}.ts',
  '!not.ts',
  '~$HOME`id`;.sh',
  '__proto__/constructor.ts',
  '\u200b\u202e.md',
  `${'n'.repeat(252)}.ts`,
  `${'ü'.repeat(126)}.ts`,
];
const WORDS = ['wave', 'tide', 'moon', 'ebb', 'flow', 'reef', 'buoy'];

export const edit = fc.record({
  kind: fc.constantFrom(...EDIT_KINDS),
  /** Selects one of the paths that exist when the edit is applied. */
  pick: fc.nat(997),
  target: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...USUAL_PATHS) },
    { weight: 2, arbitrary: fc.constantFrom(...ODD_PATHS) },
  ),
  salt: fc.nat(200),
});
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

/** The paths of the next commit, so that no edit uses a missing path. */
export class EditedTree {
  constructor(
    private readonly git: GitRepository,
    private readonly modes: Map<string, string>,
  ) {}

  apply({ kind, pick, target, salt }: Edit): void {
    const files = [...this.modes.keys()].sort();
    const file = files[pick % Math.max(1, files.length)];
    const folders = [...new Set(files.flatMap(foldersOf))].sort();
    const folder = folders[pick % Math.max(1, folders.length)];
    const text = sourceText(WORDS[salt % WORDS.length]!, 2 + (salt % 13));
    switch (kind) {
      case 'add':
        return this.write(target, text);
      case 'edit':
        return this.write(file ?? target, text);
      case 'append':
        return this.write(file ?? target, `${text}// ${salt}\n`);
      case 'delete':
        return this.delete(file);
      case 'rename':
        return this.rename(file, salt % 2 === 0 ? target : `moved/${salt % 5}/${nameOf(file ?? '')}`);
      case 'rename_folder':
        return this.rename(folder, `folder${salt % 4}`);
      case 'delete_folder':
        return this.delete(folder);
      case 'copy':
        // The same text again: the same blob at another path.
        return [target, `copies/${salt % 9}.ts`].forEach((path) => this.write(path, text));
      case 'chmod':
        return this.write(file ?? target, text, salt % 2 === 0);
      case 'symlink':
        return this.put(file ?? target, () => this.git.symlink(file ?? target, 'README.md'));
      case 'submodule':
        return this.put(`vendor/${salt % 3}`, () =>
          this.git.submodule(`vendor/${salt % 3}`, `${salt % 10}`.repeat(40)),
        );
      case 'binary':
        return this.write(file ?? target, Buffer.from([0, 1, 2, salt, 0]));
      case 'latin1':
        return this.write(file ?? target, Buffer.from(`Größe ${salt}, Maß und Straße\n`, 'latin1'));
      case 'damaged':
        // Text without a known encoding: invalid as UTF-8, as UTF-16 and as Windows-1252.
        return this.write(file ?? target, Buffer.from([0x67, 0x81, 0x8d, 0xc3, salt % 0x80]));
      case 'crlf':
        return this.write(target, text.replaceAll('\n', salt % 3 === 0 ? '\r' : '\r\n'));
      case 'bom':
        return this.write(target, `\ufeff${text}`);
      case 'utf16':
        return this.write(target, utf16(text, salt % 2 === 0));
      case 'delete_all':
        return this.delete(...(salt % 4 === 0 ? files : [file, folder]));
      case 'empty':
        return this.write(target, '');
      case 'lfs_pointer':
        return this.put('big.bin', () =>
          this.git.lfsPointer('big.bin', { oid: 'a'.repeat(64), sizeBytes: salt }),
        );
      case 'too_large':
        return this.write('large.ts', sourceText(`large${salt % 3}`, 3_000));
      case 'file_to_folder':
        return this.write(`${file ?? target}/inside.ts`, text);
      case 'folder_to_file':
        return this.write(folder ?? target, text);
      case 'attributes':
        return this.write('.gitattributes', ATTRIBUTES[salt % ATTRIBUTES.length]!);
    }
  }

  private write(path: string, content: string | Uint8Array, executable = false): void {
    this.put(path, () => this.git.write(path, content, { executable }));
  }

  private put(path: string, write: () => void): void {
    // A path cannot be both file and folder: like git, this replaces the older one.
    this.forget(path);
    for (const folder of foldersOf(path)) this.modes.delete(folder);
    write();
    this.modes.set(path, '100644');
  }

  private delete(...paths: readonly (string | undefined)[]): void {
    for (const path of paths) {
      if (path === undefined) continue;
      this.git.delete(path);
      this.forget(path);
    }
  }

  private rename(from: string | undefined, to: string): void {
    const isPossible =
      from !== undefined && from !== to && !to.startsWith(`${from}/`) && !from.startsWith(`${to}/`);
    if (!isPossible) return;
    const moved = [...this.modes.keys()].filter((path) => path === from || path.startsWith(`${from}/`));
    this.forget(from);
    this.put(to, () => this.git.rename(from, to));
    this.modes.delete(to);
    for (const path of moved) this.modes.set(to + path.slice(from.length), '100644');
  }

  private forget(path: string): void {
    for (const known of [...this.modes.keys()]) {
      if (known === path || known.startsWith(`${path}/`)) this.modes.delete(known);
    }
  }
}

/** Attributes that make an archive omit or rewrite files of the tree. */
const ATTRIBUTES = [
  'docs export-ignore\n*.py export-ignore\n',
  '*.ts export-subst\n*.md text eol=crlf\n',
  '* -text\n',
];

function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, depth) => parts.slice(0, depth + 1).join('/'));
}

function utf16(text: string, isMarked: boolean): Buffer {
  const littleEndian = Buffer.from(isMarked ? `\ufeff${text}` : text, 'utf16le');
  return isMarked ? littleEndian.swap16() : littleEndian;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
