import { TimeSlice } from '@core/domain';
import { type FileToFetch } from '../plan/plan.js';

/** The unread files, by blob: equal content is read once, and the blob id verifies the bytes. */
export class WantedFiles {
  /** A list only for several files, because most blobs have one, and a tree may have millions. */
  private readonly bySha = new Map<string, FileToFetch | FileToFetch[]>();

  /** In time slices. */
  static async of(files: Iterable<FileToFetch>): Promise<WantedFiles> {
    const wanted = new WantedFiles();
    const slice = new TimeSlice();
    for (const file of files) {
      if (slice.isOver) await slice.next();
      wanted.add(file);
    }
    return wanted;
  }

  private add(file: FileToFetch): void {
    const { blobSha } = file.entry;
    const known = this.bySha.get(blobSha);
    if (known === undefined) this.bySha.set(blobSha, file);
    else if (Array.isArray(known)) known.push(file);
    else this.bySha.set(blobSha, [known, file]);
  }

  /** Blobs, not files. */
  get size(): number {
    return this.bySha.size;
  }

  get fileCount(): number {
    let count = 0;
    for (const files of this.bySha.values()) count += Array.isArray(files) ? files.length : 1;
    return count;
  }

  /** Any id of the repository; shows its hash algorithm. */
  get anyBlobSha(): string {
    return this.bySha.keys().next().value ?? '';
  }

  blobShas(): string[] {
    return [...this.bySha.keys()];
  }

  /** One file of each blob, except of those that are taken meanwhile. */
  *onePerBlob(): Generator<FileToFetch> {
    for (const files of this.bySha.values()) yield Array.isArray(files) ? files[0]! : files;
  }

  /** Removes and returns the files of a blob; none when it is not wanted. */
  take(blobSha: string): FileToFetch[] {
    const files = this.bySha.get(blobSha) ?? [];
    this.bySha.delete(blobSha);
    return Array.isArray(files) ? files : [files];
  }
}
