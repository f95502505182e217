import {
  STAGES,
  TOTAL_STEPS,
  type Execution,
  type ProgressTask,
  type ProgressUpdate,
  type Repository,
  type Stage,
  type StageCount,
  type WorkingStage,
} from '@core/domain';

const RANGES: Record<WorkingStage, readonly [number, number]> = {
  initializing: [0, 0],
  downloading: [0, 15],
  annotating: [15, 30],
  extracting: [30, 50],
  chunking: [50, 65],
  embedding: [65, 90],
  storing: [90, 100],
};
/** These stages happen at the same time, so their progress shares one range. */
const STREAMED: readonly WorkingStage[] = ['annotating', 'extracting', 'chunking', 'embedding'];
const STREAMED_RANGE = [15, 90] as const;

export function beginTask(execution: Execution, repository: Repository, now: Date): ProgressTask {
  return {
    taskId: execution.id,
    userId: execution.requestedBy,
    collectionName: repository.collectionName,
    ...stepOf('initializing'),
    progress: 0,
    message: 'Starting',
    error: null,
    repositoryPath: repository.projectPath,
    branch: repository.branch,
    totalFiles: 0,
    processedFiles: 0,
    currentFile: null,
    failedFiles: 0,
    createdAt: now,
    updatedAt: now,
    cancelled: false,
    stages: [],
    filesPerSecond: null,
    etaSeconds: null,
  };
}

/** What earlier attempts of a run have done: an attempt plans only what is left. */
export interface EarlierWork {
  files: number;
  chunks: number;
}

export const NO_EARLIER_WORK: EarlierWork = { files: 0, chunks: 0 };

/** What the attempts of a task have stored; only that is not done again. */
export function workOfTask({ processedFiles, stages }: ProgressTask): EarlierWork {
  const stored = stages.find(({ stage }) => stage === 'storing');
  return { files: processedFiles, chunks: stored?.done ?? 0 };
}

/** Progress stays within the range of its stage and never decreases. */
export function advanceTask(
  task: ProgressTask,
  update: ProgressUpdate,
  now: Date,
  earlier: EarlierWork = NO_EARLIER_WORK,
): ProgressTask {
  const progress = Math.max(task.progress, progressOf(update));
  const { totalFiles, processedFiles, currentFile, failedFiles, message, stages = [] } = update;
  // Before its plan an attempt does not know what is left.
  const isPlanned = totalFiles > 0;
  return {
    ...task,
    ...stepOf(stageAt(progress, update.stage)),
    ...{ progress, message, currentFile, failedFiles: Math.max(task.failedFiles, failedFiles) },
    ...(isPlanned && {
      totalFiles: totalFiles + earlier.files,
      processedFiles: processedFiles + earlier.files,
    }),
    ...(stages.length > 0 && { stages: stages.map((count) => withEarlier(count, earlier, task.stages)) }),
    updatedAt: now,
  };
}

/** A count never falls: what an earlier attempt read but did not store is done again, and counts once. */
function withEarlier(
  count: StageCount,
  { files, chunks }: EarlierWork,
  shown: readonly StageCount[],
): StageCount {
  const more = { steps: 0, files, chunks }[count.unit];
  const before = shown.find(({ stage }) => stage === count.stage)?.done ?? 0;
  const done = Math.max(before, count.done + more);
  return { ...count, done, total: count.total === null ? null : Math.max(done, count.total + more) };
}

export function endTask(task: ProgressTask, execution: Execution, now: Date): ProgressTask {
  const hasWorked = execution.status === 'completed' || execution.status === 'partial';
  const cancelled = execution.status === 'cancelled';
  const message = hasWorked ? 'Finished' : cancelled ? 'Cancelled' : 'Failed';
  return {
    ...task,
    ...stepOf(hasWorked ? 'completed' : 'error'),
    progress: hasWorked ? 100 : task.progress,
    message,
    error: hasWorked
      ? null
      : `${execution.errorCode ?? execution.status}: ${execution.errorMessage ?? message}`,
    currentFile: null,
    stages: hasWorked ? task.stages.map((count) => ({ ...count, state: 'done' as const })) : task.stages,
    etaSeconds: null,
    failedFiles: execution.filesFailed,
    updatedAt: now,
    cancelled,
  };
}

/** The first state of a further attempt: progress never decreases, and the stage matches it. */
export function resumeTask(task: ProgressTask, shown: ProgressTask): ProgressTask {
  const progress = Math.max(task.progress, shown.progress);
  const from = isWorking(task.status) ? task.status : 'initializing';
  const { createdAt, totalFiles, processedFiles, failedFiles, stages } = shown;
  return {
    ...task,
    ...stepOf(stageAt(progress, from)),
    ...{ progress, createdAt, totalFiles, processedFiles, failedFiles, stages },
  };
}

function isWorking(stage: Stage): stage is WorkingStage {
  return stage !== 'completed' && stage !== 'error';
}

function progressOf({ stage, shareDone }: ProgressUpdate): number {
  const [from, to] = STREAMED.includes(stage) ? STREAMED_RANGE : RANGES[stage];
  return Math.round(from + (to - from) * Math.min(1, Math.max(0, shareDone)));
}

/** The first stage from the reported one on whose range contains the progress; streamed stages count as one. */
function stageAt(progress: number, reported: WorkingStage): WorkingStage {
  const stages = Object.keys(RANGES) as WorkingStage[];
  const first = STREAMED.includes(reported) ? STREAMED[0]! : reported;
  const later = stages.slice(stages.indexOf(first));
  return later.find((stage) => progress <= RANGES[stage][1]) ?? 'storing';
}

function stepOf(
  stage: Stage,
): Pick<ProgressTask, 'status' | 'currentStep' | 'currentStepNumber' | 'totalSteps'> {
  const currentStepNumber = Math.min(STAGES.indexOf(stage) + 1, TOTAL_STEPS);
  return { status: stage, currentStep: stage, currentStepNumber, totalSteps: TOTAL_STEPS };
}

/** The state from the row alone, for a queued run or one whose progress has expired. */
export function taskOfRow(execution: Execution, repository: Repository, now: Date): ProgressTask {
  const task = beginTask(execution, repository, execution.startedAt ?? execution.queuedAt);
  if (execution.status === 'queued') return { ...task, message: 'Waiting', updatedAt: execution.queuedAt };
  if (execution.status === 'running') return { ...task, ...workOf(execution), updatedAt: now };
  return endTask(task, execution, execution.completedAt ?? now);
}

/** The row has the number of processed files, but neither the total nor the progress. */
function workOf({ filesProcessed, filesFailed }: Execution) {
  const message = filesProcessed === 0 ? 'Running' : `Running: ${filesProcessed} files so far`;
  return { message, processedFiles: filesProcessed, failedFiles: filesFailed };
}
