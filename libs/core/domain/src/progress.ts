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

/** A run's state at a moment, as its conductor sees it. */
export interface ProgressUpdate {
  stage: Exclude<Stage, 'completed' | 'error'>;
  totalFiles: number;
  processedFiles: number;
  /** Of all files' work, 0 to 1; the files in hand count in part. */
  shareDone: number;
  currentFile: string | null;
  failedFiles: number;
  message: string;
}

/** Shows a run to people. Failing never fails the run, so it does not throw and returns at once. */
export interface ProgressReporter {
  report(executionId: string, update: ProgressUpdate): void;
}

/** What people see of one run. The task's id is the execution's. */
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

/** A task's state at one moment, in the order of ids. */
export interface ProgressEvent {
  /** `<milliseconds>-<number>`, growing within a task, also over restarts; equal on all pods. */
  id: string;
  task: ProgressTask;
}

/**
 * Whether the board is asked at all: after trouble it is left alone for a while (`open`), then tried once
 * (`half_open`); refused credentials end it until the process starts anew (`disabled`).
 */
export const BOARD_STATES = ['closed', 'open', 'half_open', 'disabled'] as const;
export type BoardState = (typeof BOARD_STATES)[number];

/**
 * Where tasks are shown, for any pod to read. Forgets a task ten minutes after its last change, or sooner. All methods
 * answer from what is there: trouble of the store shows as an empty answer, never as a failed run.
 */
export abstract class ProgressBoard {
  /** Stores the state and appends it to the task's events. Never throws. @returns whether it did. */
  abstract save(task: ProgressTask): Promise<boolean>;
  abstract find(taskId: string): Promise<ProgressTask | null>;
  abstract listOf(userId: string): Promise<ProgressTask[]>;
  abstract countByStatus(): Promise<Partial<Record<Stage, number>>>;
  /** At most the newest 1000; all that are kept when `afterId` is null or unknown. */
  abstract eventsAfter(taskId: string, afterId: string | null): Promise<ProgressEvent[]>;
  /** Calls back when the task may have news; may call too often, and once in a while without any. */
  abstract subscribe(taskId: string, onNews: () => void): () => void;
  abstract state(): BoardState;
}

/** Ended: nothing will change any more. */
export function isEnded(task: ProgressTask): boolean {
  return task.status === 'completed' || task.status === 'error';
}
