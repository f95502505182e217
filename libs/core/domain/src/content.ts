import { type PreparedChunk } from './chunk.js';
import { type SkipReason } from './manifest.js';

/** The bytes of a file, and everything that decides its chunks. */
export interface ContentJob {
  /** Its language decides where to cut. */
  path: string;
  bytes: Uint8Array;
  maxFileBytes: number;
  chunkSize: number;
  chunkOverlap: number;
  secretsPolicy: 'redact' | 'skip' | 'off';
}

/** What is stored of a file. Without chunks it is skipped. */
export interface PreparedContent {
  chunks: PreparedChunk[];
  skip: { reason: SkipReason; detail: string } | null;
  secretsFound: number;
  secretDetail: string | null;
}

/** Reads, scans and splits the contents of files. No content can stop the process, or the files of other repositories. */
export abstract class ContentPreparer {
  /**
   * A content that takes too long or too much memory is skipped as `too_costly`.
   * @param repositoryId its files wait for each other, not for those of other repositories.
   * @throws the signal's reason.
   */
  abstract prepare(job: ContentJob, repositoryId: string, signal: AbortSignal): Promise<PreparedContent>;
}
