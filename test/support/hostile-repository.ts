import { gzipSync } from 'node:zlib';
import { createGitRepository, type GitRepository, type TreeEdit } from '@devkit';
import { hostileTexts } from './hostile-texts.js';

/** Beginnings of secrets, keys and assignments: what the rules of the secret scan look for. */
const SECRET_PARTS = [
  ...[
    'glpat-',
    'ghp_',
    'ATBB',
    'AKIA',
    'AIza',
    'ya29.',
    'AccountKey=',
    '?sig=',
    'a8Q~',
    'dop_v1_',
    'HRKU-',
    'hvs.',
  ],
  ...[
    'a.atlasv1.',
    'dckr_pat_',
    'tskey-api-',
    'dp.pt.',
    'sbp_',
    'sk_live_',
    'whsec_',
    'xoxb-',
    'SG.',
    'key-',
    'sk-',
  ],
  ...[
    'hf_',
    'glc_',
    'sntrys_',
    'shpat_',
    'npm_',
    '_authToken=',
    'eyJ',
    '-eyJ',
    'Bearer ',
    '://a:',
    'password=',
    'api_key:',
  ],
  ...['-----BEGIN PRIVATE KEY-----\n', 'Private-Lines: 12\n', 'LS0tLS1CRUdJTi'],
];

export interface HostileSize {
  /** In one folder. */
  files: number;
  /** Of each text for the secret scan. */
  textBytes: number;
}

/** The rule files that must be named as a warning of the repository, and the line; null: the whole file. */
export const HOSTILE_RULES: readonly (readonly [path: string, line: number | null])[] = [
  ['.gitattributes', 3],
  ['.repotideignore', 3],
  ['large/.repotideignore', null],
  ['latin/.gitattributes', 1],
  ['many/.repotideignore', null],
];

/** Files that must be listed as skipped, with the reason. */
export const HOSTILE_FILES: Readonly<Record<string, string>> = {
  'data/bomb.gz': 'binary',
  'data/bomb.tar.gz.txt': 'binary',
  'data/zeros.bin': 'too_large',
  'data/line.js': 'minified',
};

/** Everything that could stop a service by its content, and one ordinary file. */
export async function hostileRepository(directory: string, size: HostileSize): Promise<GitRepository> {
  const git = await createGitRepository(directory, { bare: true });
  await git.commitEdits(hostileEdits(size), 'Hostile');
  return git;
}

function* hostileEdits({ files, textBytes }: HostileSize): Generator<TreeEdit> {
  const put = (path: string, content: string | Uint8Array): TreeEdit => ({
    ...{ kind: 'put', path, mode: '100644', content },
  });
  yield put('src/ordinary.ts', 'export const ordinary = 1;\n');

  // Rules that a regular expression needs for ever.
  const tooLong = `*.${'x'.repeat(100_000)}`;
  yield put('.gitattributes', `${'*a'.repeat(40)}b -diff\n**/${'*a'.repeat(20)}/b -diff\n${tooLong} -diff\n`);
  yield put('.repotideignore', `${'**/a/'.repeat(12)}b\n${'*?a'.repeat(30)}*b\n${tooLong}\n`);
  yield put('large/.repotideignore', `${'*.never\n'.repeat(1_300_000)}`);
  yield put('many/.repotideignore', Array.from({ length: 100_000 }, (_, line) => `f${line}.x`).join('\n'));
  yield put('latin/.gitattributes', Buffer.from('caf\xe9.ts -diff\n', 'latin1'));
  yield put(`names/${'a'.repeat(255)}`, 'a name of 255 bytes\n');
  yield put(`names/${'é'.repeat(127)}`, 'a name of 254 bytes in 127 letters\n');

  yield put(`deep/${'a/'.repeat(300)}c`, 'a file in 300 folders\n');
  for (let file = 0; file < files; file++) yield put(`wide/${'n'.repeat(40)}${file}.txt`, `file ${file}\n`);

  yield put('data/line.js', 'x='.repeat(1_000_000));
  yield put('data/line.md', 'word '.repeat(400_000));
  const zeros = Buffer.alloc(64 * 1024 * 1024);
  yield put('data/zeros.bin', zeros);
  yield put('data/bomb.gz', gzipSync(zeros));
  yield put('data/bomb.tar.gz.txt', gzipSync(gzipSync(zeros)));
  yield put('data/lines.txt', '\n'.repeat(500_000) + 'end\n');
  yield put('data/brackets.ts', '{('.repeat(20_000) + '\n'.repeat(1_000));

  for (const [part, begins] of SECRET_PARTS.entries()) {
    const text = hostileTexts(begins, textBytes / 8).join('\n');
    // Prose, because code with such lines counts as minified and is not scanned.
    yield put(`secrets/text${part}.md`, text);
  }
}
