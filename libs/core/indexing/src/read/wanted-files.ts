import { type FileToFetch } from '../plan/plan.js';

/**
 * The files whose content is still to be read, by blob: equal content is read once, and whatever brings bytes whose
 * id is wanted has brought the right ones, whatever it called them.
 */
export class WantedFiles {
  private readonly bySha = new Map<string, FileToFetch[]>();

  constructor(files: readonly FileToFetch[]) {
    for (const file of files) {
      const same = this.bySha.get(file.entry.blobSha);
      if (same) same.push(file);
      else this.bySha.set(file.entry.blobSha, [file]);
    }
  }

  /** Blobs, not files. */
  get size(): number {
    return this.bySha.size;
  }

  get fileCount(): number {
    return [...this.bySha.values()].reduce((sum, files) => sum + files.length, 0);
  }

  /** Any id of the repository, for the kind of its hash. */
  get anyBlobSha(): string {
    return this.bySha.keys().next().value ?? '';
  }

  /** One file of each blob. */
  onePerBlob(): FileToFetch[] {
    return [...this.bySha.values()].flatMap((files) => files.slice(0, 1));
  }

  /** The files of a blob, which are wanted no longer; none when it is not wanted. */
  take(blobSha: string): FileToFetch[] {
    const files = this.bySha.get(blobSha) ?? [];
    this.bySha.delete(blobSha);
    return files;
  }
}
