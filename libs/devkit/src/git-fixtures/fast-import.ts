import { askGit } from '../git/git-command.js';

/** One edit of the next commit, in the order in which the edits were made. */
export type TreeEdit =
  | { kind: 'put'; path: string; mode: '100644' | '100755' | '120000'; content: string | Uint8Array }
  | { kind: 'submodule'; path: string; commit: string }
  | { kind: 'delete'; path: string }
  | { kind: 'rename'; from: string; to: string };

export interface NewCommit {
  branch: string;
  /** Null for the first commit of a history. */
  parent: string | null;
  message: string;
  /** Unix seconds. Author and committer are fixed, so that the same edits give the same SHA everywhere. */
  atSeconds: number;
  edits: Iterable<TreeEdit> | AsyncIterable<TreeEdit>;
}

const AUTHOR = 'Devkit <devkit@example.com>';

/** Writes a commit directly into the repository: no index, no working tree, one process. Returns its SHA. */
export function importCommit(directory: string, commit: NewCommit): Promise<string> {
  const args = ['-c', 'core.compression=1', 'fast-import', '--quiet', '--force', '--depth=0', '--done'];
  return askGit(directory, args, { input: commandsOf(commit) });
}

async function* commandsOf(commit: NewCommit): AsyncGenerator<string | Uint8Array> {
  const ref = `refs/heads/${commit.branch}`;
  yield `commit ${ref}\nmark :1\ncommitter ${AUTHOR} ${commit.atSeconds} +0000\n`;
  yield* data(commit.message);
  if (commit.parent !== null) yield `from ${commit.parent}\n`;
  for await (const edit of commit.edits) yield* commandOf(edit);
  yield '\nget-mark :1\ndone\n';
}

function* commandOf(edit: TreeEdit): Generator<string | Uint8Array> {
  switch (edit.kind) {
    case 'put':
      yield `M ${edit.mode} inline ${quoted(edit.path)}\n`;
      yield* data(edit.content);
      return;
    case 'submodule':
      yield `M 160000 ${edit.commit} ${quoted(edit.path)}\n`;
      return;
    case 'delete':
      yield `D ${quoted(edit.path)}\n`;
      return;
    case 'rename':
      yield `R ${quoted(edit.from)} ${quoted(edit.to)}\n`;
      return;
  }
}

function* data(content: string | Uint8Array): Generator<string | Uint8Array> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  yield `data ${bytes.length}\n`;
  yield bytes;
  yield '\n';
}

function quoted(path: string): string {
  const escaped = path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return `"${escaped}"`;
}
