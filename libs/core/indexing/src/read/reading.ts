import { type BlobContent, type RepotideError } from '@core/domain';
import { type FileToFetch, type TreeSize } from '../plan/plan.js';
import { type SyncRun } from '../run/sync-run.js';
import { type WantedFiles } from './wanted-files.js';

/** A file with its verified content, or with what kept it from being read. */
export interface FetchedFile {
  file: FileToFetch;
  content: BlobContent | { kind: 'failed'; error: RepotideError };
}

/** What is to be read, for the ways of reading. */
export interface Reading {
  run: SyncRun;
  commit: string;
  wanted: WantedFiles;
  tree: TreeSize;
  /** True: what was read is the last; the rest stays wanted. */
  isOver: () => boolean;
  /** Fires with the run's, and when nobody wants the rest. */
  signal: AbortSignal;
}
