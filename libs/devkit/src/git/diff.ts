import { pathOf } from '@core/domain';
import { runGit } from './git-command.js';

/** One changed path between two commits. */
export interface GitChange {
  oldPath: string;
  newPath: string;
  oldMode: string;
  newMode: string;
  /** A added, D deleted, M modified, R renamed, T other type of file. */
  status: string;
  /** Hunks only, without git's header lines. */
  patch: string;
}

/** The differences between two commits, with renames detected. */
export async function diffCommits(
  directory: string,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<GitChange[]> {
  const output = await runGit(
    directory,
    ['diff', '--raw', '-z', '--patch', '-M', '--no-color', '--no-ext-diff', '--no-textconv', from, to, '--'],
    { signal },
  );
  const { changes, patchStart } = parseRaw(output);
  const patches = splitPatches(output.subarray(patchStart).toString());
  let next = 0;
  return changes.map((change) => {
    const own = patches.slice(next, next + patchCount(change));
    next += own.length;
    return { ...change, patch: own.join('') };
  });
}

type RawChange = Omit<GitChange, 'patch'>;

function parseRaw(output: Buffer): { changes: RawChange[]; patchStart: number } {
  const changes: RawChange[] = [];
  let position = 0;
  const field = () => {
    const end = output.indexOf(0, position);
    const text = pathOf(output.subarray(position, end));
    position = end + 1;
    return text;
  };
  // An empty field ends the raw part; the patches follow.
  while (output[position] === 0x3a) {
    const [oldMode = '', newMode = '', , , status = ''] = field().slice(1).split(' ');
    const oldPath = field();
    const newPath = /^[RC]/.test(status) ? field() : oldPath;
    changes.push({ oldPath, newPath, oldMode, newMode, status: status.slice(0, 1) });
  }
  return { changes, patchStart: position + 1 };
}

/** Git shows a change of file type (a file becomes a symlink) as a deletion and an addition. */
function patchCount({ status }: RawChange): number {
  return status === 'T' ? 2 : 1;
}

function splitPatches(text: string): string[] {
  // Inside a hunk every line has a prefix, so a line without one that begins with these words starts a patch.
  const [, ...patches] = `\n${text.replace(/\n$/, '')}`.split('\ndiff --git ');
  return patches.map((patch) => {
    const body = `${patch}\n`;
    const start = body.search(/^(@@ |Binary files )/m);
    return start < 0 ? '' : body.slice(start);
  });
}
