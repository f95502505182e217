/**
 * The share of a file's work that reading and chunking take, and that embedding takes; storing is the rest. Estimates:
 * embedding is by far the slowest part with most servers.
 */
const READ_SHARE = 0.2;
const EMBEDDED_SHARE = 0.6;

interface ChunkedFile {
  row: { path: string };
  chunks: readonly unknown[];
}

/** The share of a run's work that is done; files in progress count in part. */
export class WorkProgress {
  private totalFiles = 0;
  private doneFiles = 0;
  /** Share of each file in progress, by path: at most the files of a few batches. */
  private readonly inProgress = new Map<string, number>();
  /** Their sum, so that a report need not add them. */
  private partial = 0;
  private readonly chunks = { read: 0, embedded: 0, stored: 0 };

  expect(totalFiles: number): void {
    this.totalFiles = totalFiles;
  }

  get files(): { totalFiles: number; processedFiles: number } {
    return { totalFiles: this.totalFiles, processedFiles: Math.min(this.doneFiles, this.totalFiles) };
  }

  /** Share of all files' work, 0 to 1. */
  get share(): number {
    return this.totalFiles === 0 ? 0 : Math.min(1, (this.doneFiles + this.partial) / this.totalFiles);
  }

  get message(): string {
    const { read, embedded, stored } = this.chunks;
    return read === 0 ? 'Indexing' : `Indexing: ${read} chunks read, ${embedded} embedded, ${stored} stored`;
  }

  prepared({ row, chunks }: ChunkedFile): void {
    this.advance(row.path, READ_SHARE);
    this.chunks.read += chunks.length;
  }

  /** @returns a function that records which share of the batch's texts is embedded, 0 to 1. */
  embedding(files: readonly ChunkedFile[]): (share: number) => void {
    const chunks = files.reduce((sum, file) => sum + file.chunks.length, 0);
    let counted = 0;
    return (share) => {
      const embedded = Math.floor(chunks * share);
      this.chunks.embedded += embedded - counted;
      counted = embedded;
      for (const { row } of files) this.advance(row.path, READ_SHARE + EMBEDDED_SHARE * share);
    };
  }

  stored(chunks: number): void {
    this.chunks.stored += chunks;
  }

  done(paths: readonly string[]): void {
    for (const path of paths) {
      this.partial -= this.inProgress.get(path) ?? 0;
      this.inProgress.delete(path);
    }
    // Clears the rounding errors of many sums.
    if (this.inProgress.size === 0) this.partial = 0;
    this.doneFiles += paths.length;
  }

  private advance(path: string, share: number): void {
    this.partial += share - (this.inProgress.get(path) ?? 0);
    this.inProgress.set(path, share);
  }
}
