import {
  RepotideError,
  toRepotideError,
  type ExecutionStore,
  type Hints,
  type Logger,
  type RunCounters,
  type RunIdentity,
} from '@core/domain';

export interface RunWatch {
  signal: AbortSignal;
  stop(): void;
}

/**
 * Sends heartbeats, which store the counters and read the cancel request. Aborts the run when it is cancelled, when
 * another attempt owns its row, or after `maxRunMs`.
 */
export function watchRun(
  identity: RunIdentity,
  counters: RunCounters,
  others: readonly AbortSignal[],
  { executions, hints }: { executions: ExecutionStore; hints: Hints },
  settings: { heartbeatMs: number; maxRunMs: number },
  logger: Logger,
): RunWatch {
  const controller = new AbortController();
  const beat = async (): Promise<void> => {
    try {
      const { isCancelRequested } = await executions.heartbeat(identity, counters);
      if (isCancelRequested) controller.abort(cancelReason());
    } catch (thrown) {
      const error = toRepotideError(thrown);
      if (error.kind === 'fence_lost') controller.abort(error);
      else logger.warn({ error_code: error.code, error: error.message }, 'heartbeat failed');
    }
  };
  const unsubscribe = hints.subscribe((hint) => {
    // The row decides; the hint only causes an early heartbeat.
    if (hint.kind === 'cancel_requested' && hint.executionId === identity.executionId) void beat();
  });
  const heartbeat = setInterval(() => void beat(), settings.heartbeatMs);
  const deadline = setTimeout(() => controller.abort(timeoutReason(settings.maxRunMs)), settings.maxRunMs);
  return {
    signal: AbortSignal.any([controller.signal, ...others]),
    stop: () => {
      unsubscribe();
      clearInterval(heartbeat);
      clearTimeout(deadline);
    },
  };
}

function cancelReason(): RepotideError {
  return new RepotideError('cancelled', 'cancel_requested', 'The run was cancelled on request.');
}

function timeoutReason(maxRunMs: number): RepotideError {
  const seconds = Math.round(maxRunMs / 1000);
  const message = `The run took longer than MAX_RUN_SECONDS (${seconds}); stored files are kept, and the next run continues from there.`;
  return new RepotideError('temporary', 'run_timed_out', message);
}
