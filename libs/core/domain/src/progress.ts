export const STAGES = [
  'initializing',
  'downloading',
  'annotating',
  'extracting',
  'chunking',
  'embedding',
  'storing',
  'completed',
  'error',
] as const;
export type Stage = (typeof STAGES)[number];

/** A run's state at a moment, as its conductor sees it. */
export interface ProgressUpdate {
  stage: Stage;
  totalFiles: number;
  processedFiles: number;
  currentFile: string | null;
  failedFiles: number;
  message: string;
}

/** Shows a run to people. Failing never fails the run, so it does not throw and returns at once. */
export interface ProgressReporter {
  report(executionId: string, update: ProgressUpdate): void;
}
