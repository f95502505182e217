/**
 * How much of a file's work is behind it once it is read and chunked, and what embedding it adds; storing is the rest.
 * Estimates: embedding is by far the slowest part with most servers.
 */
const READ_SHARE = 0.2;
const EMBEDDED_SHARE = 0.6;

interface ChunkedFile {
  row: { path: string };
  chunks: readonly unknown[];
}

/** What a run has done of what it has to do: files, those in hand in part, and the chunks of those that it reads. */
export class WorkDone {
  private totalFiles = 0;
  private doneFiles = 0;
  /** Of the files in hand, by path: at most what a few batches hold. */
  private readonly inHand = new Map<string, number>();
  private readonly chunks = { read: 0, embedded: 0, stored: 0 };

  expect(totalFiles: number): void {
    this.totalFiles = totalFiles;
  }

  get files(): { totalFiles: number; processedFiles: number } {
    return { totalFiles: this.totalFiles, processedFiles: Math.min(this.doneFiles, this.totalFiles) };
  }

  /** Of all files' work, 0 to 1. */
  get share(): number {
    const inPart = [...this.inHand.values()].reduce((sum, share) => sum + share, 0);
    return this.totalFiles === 0 ? 0 : Math.min(1, (this.doneFiles + inPart) / this.totalFiles);
  }

  get message(): string {
    const { read, embedded, stored } = this.chunks;
    return read === 0 ? 'Indexing' : `Indexing: ${read} chunks read, ${embedded} embedded, ${stored} stored`;
  }

  prepared({ row, chunks }: ChunkedFile): void {
    this.inHand.set(row.path, READ_SHARE);
    this.chunks.read += chunks.length;
  }

  /** Begins to count a batch's chunks. @returns takes the share of them that has vectors by now, 0 to 1. */
  embedding(files: readonly ChunkedFile[]): (share: number) => void {
    const chunks = files.reduce((sum, file) => sum + file.chunks.length, 0);
    let counted = 0;
    return (share) => {
      const embedded = Math.floor(chunks * share);
      this.chunks.embedded += embedded - counted;
      counted = embedded;
      for (const { row } of files) this.inHand.set(row.path, READ_SHARE + EMBEDDED_SHARE * share);
    };
  }

  stored(chunks: number): void {
    this.chunks.stored += chunks;
  }

  done(paths: readonly string[]): void {
    for (const path of paths) this.inHand.delete(path);
    this.doneFiles += paths.length;
  }
}
