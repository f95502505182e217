import { type GitRepository } from '@devkit';
import { sourceText } from '../support/sync-world.js';

/** Commits of one branch. */
export interface Commits {
  /** Of the sync that came first. */
  before: string;
  /** Edits, renames, deletions and new files. */
  after: string;
  /** What someone pushes while the pod is dead: one new file is removed, another one changed again. */
  later: string;
}

/** Different texts and another number of files for each seed. */
export async function writeTrees(git: GitRepository, seed: number): Promise<Commits> {
  const extra = seed % 4;
  const text = (name: string, lines: number): string => sourceText(`s${seed}${name}`, lines + extra);
  for (let number = 0; number < 8 + extra; number++)
    git.write(`src/file-${number}.ts`, text(`first${number}`, 6 + number));
  git.writeAll({
    'README.md': `# App ${seed}\n\nWords about the app.\n`,
    'lib/moved.ts': text('moved', 20),
    'lib/deep/other.ts': text('other', 12),
    'logo.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 1]),
    'empty.txt': '',
  });
  const before = await git.commit('Before');
  git.rename('lib', 'library');
  git.delete('src/file-1.ts').delete('src/file-2.ts');
  git.writeAll({
    'src/file-0.ts': text('edited', 9),
    'src/file-3.ts': text('edited again', 15).replaceAll('edited again', 'editedAgain'),
    'src/new-one.ts': text('newOne', 14),
    'src/new-two.ts': text('newTwo', 4),
    'src/new-three.ts': text('newThree', 7),
    'src/file-4.ts': '',
    'script.sh': '#!/bin/sh\necho words\n',
  });
  const after = await git.commit('After');
  git.delete('src/new-one.ts').write('src/file-0.ts', text('pushed', 8));
  const later = await git.commit('Later');
  return { before, after, later };
}
