export const WORKING_STAGES = [
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

export type WorkingStage = (typeof WORKING_STAGES)[number];

/** What one stage of the pipeline has done. The stages from downloading to storing work at the same time. */
export interface StageCount {
  stage: WorkingStage;
  /** `waiting`: it has nothing to work on yet, or at the moment. */
  state: 'waiting' | 'active' | 'done';
  done: number;
  /** Null: not known yet. */
  total: number | null;
  unit: 'steps' | 'files' | 'chunks';
}

export interface ProgressUpdate {
  stage: WorkingStage;
  totalFiles: number;
  processedFiles: number;
  /** Share of the work on all files, 0 to 1; files in progress count in part. */
  shareDone: number;
  currentFile: string | null;
  failedFiles: number;
  message: string;
  /** In the order of the pipeline; of this attempt alone. Absent: the work has no such stages. */
  stages?: readonly StageCount[];
}

/** Publishes the progress of runs. Never throws and never waits. */
export interface ProgressReporter {
  report(executionId: string, update: ProgressUpdate): void;
}

/** The progress of one run. The task's id is the execution's. */
export interface ProgressTask {
  taskId: string;
  /** The caller that requested the run; null for a schedule. */
  userId: string | null;
  collectionName: string;
  status: Stage;
  /** 0 to 100; never decreases. */
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
  /** Of all attempts; empty before the work is planned, and for work without these stages. */
  stages: readonly StageCount[];
  /** Files of this attempt; null: too early to tell. */
  filesPerSecond: number | null;
  /** Seconds until the end, if the work goes on as it did in this attempt; null: too early to tell. */
  etaSeconds: number | null;
}

/** A task's state at one moment. */
export interface ProgressEvent {
  /** `<milliseconds>-<number>`: increases within a task, also across restarts; the same on all pods. */
  id: string;
  task: ProgressTask;
}

/**
 * The circuit breaker of the store. `open`: calls are suspended after failures. `half_open`: one call tests the connection.
 * `disabled`: the store rejected the credentials; only a restart of the process helps.
 */
export const CIRCUIT_STATES = ['closed', 'open', 'half_open', 'disabled'] as const;
export type CircuitState = (typeof CIRCUIT_STATES)[number];

/**
 * Progress tasks, readable by any pod. A task expires at most ten minutes after its last change. No method throws; while
 * the store is down, results are empty.
 */
export abstract class ProgressStore {
  /** Stores the state and appends it to the task's events. @returns whether it was stored. */
  abstract save(task: ProgressTask): Promise<boolean>;
  abstract find(taskId: string): Promise<ProgressTask | null>;
  abstract listOf(userId: string): Promise<ProgressTask[]>;
  abstract countByStatus(): Promise<Partial<Record<Stage, number>>>;
  /** At most the newest 1000 events; not only later ones when `afterId` is null or unknown. */
  abstract eventsAfter(taskId: string, afterId: string | null): Promise<ProgressEvent[]>;
  /** Calls back when the task may have changed. @returns a function that ends the subscription. */
  abstract subscribe(taskId: string, onChange: () => void): () => void;
  abstract state(): CircuitState;
}

export function isEnded(task: ProgressTask): boolean {
  return task.status === 'completed' || task.status === 'error';
}
