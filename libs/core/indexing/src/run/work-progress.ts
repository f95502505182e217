import { type StageCount } from '@core/domain';

/**
 * The share of a file's work that reading and chunking take, and that embedding takes; storing is the rest. Estimates:
 * embedding is by far the slowest part with most servers.
 */
const READ_SHARE = 0.2;
const EMBEDDED_SHARE = 0.6;

interface ChunkedFile {
  row: { path: string; skipReason: string | null; lastError: string | null };
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
  /** Of the files whose content is read; the others are only removed, or get a row. */
  private readonly read = { total: 0, downloaded: 0, annotated: 0, extracted: 0 };

  expect(totalFiles: number): void {
    this.totalFiles = totalFiles;
  }

  /** @param files of all files, those whose content is read. */
  expectReads(files: number): void {
    this.read.total = files;
  }

  /** What each stage has done. Empty while no content is read. */
  get stages(): StageCount[] {
    if (this.read.total === 0) return [];
    const { total, downloaded, annotated, extracted } = this.read;
    const { read, embedded, stored } = this.chunks;
    const isAllRead = annotated >= total;
    // Chunks that are too long for the model are split later.
    const chunks = isAllRead ? Math.max(read, embedded, stored) : null;
    return [
      { stage: 'initializing', state: 'done', done: 1, total: 1, unit: 'steps' },
      countOf('downloading', { done: downloaded, total, given: total, unit: 'files' }),
      countOf('annotating', { done: annotated, total, given: downloaded, unit: 'files' }),
      // A file that is skipped or failed ends there.
      countOf('extracting', {
        done: extracted,
        total: isAllRead ? extracted : null,
        given: extracted,
        unit: 'files',
      }),
      countOf('chunking', { done: read, total: chunks, given: read, unit: 'chunks' }),
      countOf('embedding', { done: embedded, total: chunks, given: read, unit: 'chunks' }),
      countOf('storing', { done: stored, total: chunks, given: embedded, unit: 'chunks' }),
    ];
  }

  downloaded(): void {
    this.read.downloaded += 1;
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
    this.read.annotated += 1;
    if (row.skipReason === null && row.lastError === null) this.read.extracted += 1;
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

/** @property given what the stage before has handed on. */
interface Work extends Pick<StageCount, 'done' | 'total' | 'unit'> {
  given: number;
}

function countOf(stage: StageCount['stage'], { given, ...count }: Work): StageCount {
  const isDone = count.total !== null && count.done >= count.total;
  return { stage, state: isDone ? 'done' : given > count.done ? 'active' : 'waiting', ...count };
}
