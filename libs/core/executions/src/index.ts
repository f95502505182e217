export { shutdownReason, takeRun, type RunnerPorts, type TakenRun } from './run-execution.js';
export { ProgressTracker } from './progress/progress-tracker.js';
export { endTask, taskOfRow } from './progress/task-state.js';
