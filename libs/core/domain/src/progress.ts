const WORKING_STAGES = [
  'initializing',
  'downloading',
  'annotating',
  'extracting',
  'chunking',
  'embedding',
  'storing',
] as const;
export const STAGES = [...WORKING_STAGES, 'completed', 'error'] as const;
export type Stage = (typeof STAGES)[number];
export const TOTAL_STEPS = WORKING_STAGES.length;

/** A run's progress at one moment. */
export interface ProgressUpdate {
  stage: Exclude<Stage, 'completed' | 'error'>;
  totalFiles: number;
  processedFiles: number;
  /** Of all files' work, 0 to 1; files in progress count in part. */
  shareDone: number;
  currentFile: string | null;
  failedFiles: number;
  message: string;
}

/** Shows the progress of a run to people. Never throws and never waits. */
export interface ProgressReporter {
  report(executionId: string, update: ProgressUpdate): void;
}

/** The progress of one run. The task's id is the execution's. */
export interface ProgressTask {
  taskId: string;
  /** Who asked for the run; null for a schedule. */
  userId: string | null;
  collectionName: string;
  status: Stage;
  /** 0 to 100, never falls. */
  progress: number;
  currentStep: string;
  totalSteps: number;
  currentStepNumber: number;
  message: string;
  error: string | null;
  repositoryPath: string;
  branch: string;
  totalFiles: number;
  processedFiles: number;
  currentFile: string | null;
  failedFiles: number;
  createdAt: Date;
  updatedAt: Date;
  cancelled: boolean;
}

/** A task's state at one moment. */
export interface ProgressEvent {
  /** `<milliseconds>-<number>`, increasing within a task, also over restarts; the same on all pods. */
  id: string;
  task: ProgressTask;
}

/**
 * The circuit breaker of the board: after failures it is not used for a while (`open`), then tried once (`half_open`);
 * rejected credentials disable it until the process restarts (`disabled`).
 */
export const BOARD_STATES = ['closed', 'open', 'half_open', 'disabled'] as const;
export type BoardState = (typeof BOARD_STATES)[number];

/**
 * Progress tasks, readable by any pod. A task expires ten minutes after its last change, or sooner. No method throws: while
 * the store is down, results are empty.
 */
export abstract class ProgressBoard {
  /** Stores the state and appends it to the task's events. @returns whether it was stored. */
  abstract save(task: ProgressTask): Promise<boolean>;
  abstract find(taskId: string): Promise<ProgressTask | null>;
  abstract listOf(userId: string): Promise<ProgressTask[]>;
  abstract countByStatus(): Promise<Partial<Record<Stage, number>>>;
  /** At most the newest 1000; all events when `afterId` is null or unknown. */
  abstract eventsAfter(taskId: string, afterId: string | null): Promise<ProgressEvent[]>;
  /** Calls back when the task may have changed, and sometimes when it has not. @returns ends it. */
  abstract subscribe(taskId: string, onChange: () => void): () => void;
  abstract state(): BoardState;
}

export function isEnded(task: ProgressTask): boolean {
  return task.status === 'completed' || task.status === 'error';
}
