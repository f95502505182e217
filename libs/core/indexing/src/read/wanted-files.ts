import { groupBy } from '@core/domain';
import { type FileToFetch } from '../plan/plan.js';

/** The unread files, by blob: equal content is read once, and the blob id verifies the bytes. */
export class WantedFiles {
  private readonly bySha: Map<string, FileToFetch[]>;

  constructor(files: readonly FileToFetch[]) {
    this.bySha = groupBy(files, ({ entry }) => entry.blobSha);
  }

  /** Blobs, not files. */
  get size(): number {
    return this.bySha.size;
  }

  get fileCount(): number {
    return [...this.bySha.values()].reduce((sum, files) => sum + files.length, 0);
  }

  /** Any id of the repository; shows its hash algorithm. */
  get anyBlobSha(): string {
    return this.bySha.keys().next().value ?? '';
  }

  /** One file of each blob. */
  onePerBlob(): FileToFetch[] {
    return [...this.bySha.values()].flatMap((files) => files.slice(0, 1));
  }

  /** Removes and returns the files of a blob; none when it is not wanted. */
  take(blobSha: string): FileToFetch[] {
    const files = this.bySha.get(blobSha) ?? [];
    this.bySha.delete(blobSha);
    return files;
  }
}
