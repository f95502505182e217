import { RepotideError, type TreeEntry, type TreeReader } from '@core/domain';

const FOLDER_MODE = '040000';
/** Limits the folders of one level: a tree whose folders repeat each other is small and has any number of them. */
const MAX_FOLDERS = 500_000;

/** Every file, symlink and submodule of a commit, folder by folder. */
export async function* listTree(trees: TreeReader, signal: AbortSignal): AsyncGenerator<TreeEntry[]> {
  let folders = [{ prefix: '', id: trees.rootId }];
  while (folders.length > 0) {
    const found = await readTrees(trees, [...new Set(folders.map(({ id }) => id))], signal);
    const next = folders.filter(({ id }) => !found.has(id));
    for (const { prefix, id } of folders) {
      const entries = withPrefix(found.get(id) ?? [], prefix);
      yield entries.filter(({ mode }) => mode !== FOLDER_MODE);
      for (const { path, mode, blobSha } of entries)
        if (mode === FOLDER_MODE) next.push({ prefix: `${path}/`, id: blobSha });
      if (next.length > MAX_FOLDERS) throw treeTooLarge();
    }
    folders = next;
  }
}

/** The entries of one folder. @throws not_found `folder_not_found`. */
export async function listFolder(
  trees: TreeReader,
  folder: string,
  signal: AbortSignal,
): Promise<TreeEntry[]> {
  const entriesOf = async (id: string) => (await readTrees(trees, [id], signal)).get(id) ?? [];
  let entries = await entriesOf(trees.rootId);
  for (const name of folder === '' ? [] : folder.split('/')) {
    const inside = entries.find(({ path, mode }) => path === name && mode === FOLDER_MODE);
    if (!inside) throw new RepotideError('not_found', 'folder_not_found', `Git has no folder "${folder}".`);
    entries = await entriesOf(inside.blobSha);
  }
  return withPrefix(entries, folder === '' ? '' : `${folder}/`);
}

async function readTrees(
  trees: TreeReader,
  ids: string[],
  signal: AbortSignal,
): Promise<Map<string, TreeEntry[]>> {
  const found = await trees.read(ids, signal);
  if (found === null) throw new RepotideError('temporary', 'git_tree_missing', 'Git stopped sending trees.');
  return found;
}

function withPrefix(entries: readonly TreeEntry[], prefix: string): TreeEntry[] {
  return entries.map((entry) => ({ ...entry, path: prefix + entry.path }));
}

function treeTooLarge(): RepotideError {
  const message = `The tree has more than ${MAX_FOLDERS} folders beside each other. Such a repository cannot be indexed.`;
  return new RepotideError('invalid', 'tree_too_large', message);
}
