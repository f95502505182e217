import { type RuleWarning, type TreeEntry } from '@core/domain';

const ID_DIGITS = 12;

/**
 * The entries of a tree by path. GitLab's API leaves out the bytes of a name that are not UTF-8, so names may look equal or
 * be empty; and a tree that git did not write may have a name twice. Each such entry gets a unique path.
 */
export class DistinctPaths {
  readonly entries = new Map<string, TreeEntry>();
  /** The paths that differ from those of the code host. */
  readonly made = new Set<string>();

  add(entry: TreeEntry): void {
    const { path } = entry;
    if (hasName(path) && !this.entries.has(path)) this.entries.set(path, entry);
    else this.addAs(this.pathFor(entry), entry);
  }

  /** @returns one warning for each path that was made. */
  warnings(): RuleWarning[] {
    const message =
      'the code host shows this name as empty or like another one: it is not UTF-8 text, or the tree is malformed; ' +
      'the path is made of the id of the content';
    return [...this.made].map((path) => ({ code: 'name_unclear', path, line: null, message }));
  }

  private addAs(path: string, entry: TreeEntry): void {
    this.made.add(path);
    this.entries.set(path, { ...entry, path });
  }

  /** Keeps beginning and end of the name, which rules for files such as `*.pem` match. */
  private pathFor({ path, blobSha }: TreeEntry): string {
    const nameAt = path.lastIndexOf('/') + 1;
    const dot = path.lastIndexOf('.');
    const at = dot > nameAt ? dot : path.length;
    for (let number = 1; ; number += 1) {
      const mark = `(${blobSha.slice(0, ID_DIGITS)}${number === 1 ? '' : ` ${number}`})`;
      const made = `${path.slice(0, at)}${at === nameAt ? '' : ' '}${mark}${path.slice(at)}`;
      if (!this.entries.has(made)) return made;
    }
  }
}

/** False: the code host shows a name without any of its bytes. */
export function hasName(path: string): boolean {
  return path !== '' && !path.endsWith('/');
}
