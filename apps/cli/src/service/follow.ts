import { followRun } from '../../../dashboard/src/api/follow-run.js';
import { CommandFailure, EXIT } from '../failure.js';
import { answerOf, interrupted, pause, type Schemas, type Session } from './client.js';

export type Execution = Schemas['ExecutionDto'];

const POLL_MS = 1_000;
const RECONNECT_MS = 2_000;
/** A pod may restart meanwhile; longer is an outage. */
const MAX_RECONNECTS = 30;
const NO_CONTENT = 204;

export interface FollowOptions {
  /** Gets every change of the progress. Absent: only the end is awaited. */
  onProgress?: (progress: Schemas['ProgressDto']) => void;
  /** Absent: no limit. */
  timeoutSeconds?: number | undefined;
}

export function getRun({ client }: Session, id: string): Promise<Execution> {
  return answerOf(client.GET('/api/v1/executions/{id}', { params: { path: { id } } }));
}

/**
 * Waits for the end of a run of the service, which continues without this command.
 * @throws CommandFailure on Ctrl-C or after the time limit; it says that the run continues, and how to end it.
 */
export async function untilEnd(
  session: Session,
  id: string,
  options: FollowOptions = {},
): Promise<Execution> {
  const { timeoutSeconds } = options;
  const limit = timeoutSeconds === undefined ? [] : [AbortSignal.timeout(timeoutSeconds * 1000)];
  const signal = AbortSignal.any([session.signal, ...limit]);
  try {
    if (options.onProgress) await followEvents({ ...session, signal }, id, options.onProgress);
    return await pollEnd({ ...session, signal }, id);
  } catch (error) {
    if (!signal.aborted) throw error;
    const where = session.url ?? 'in the queue';
    const left = `The run continues at ${where}; "repotide cancel ${id}" ends it.`;
    if (session.signal.aborted) throw interrupted(left);
    throw new CommandFailure(
      EXIT.failed,
      'wait_timeout',
      `The run did not end within ${timeoutSeconds} s. ${left}`,
    );
  }
}

async function pollEnd(session: Session, id: string): Promise<Execution> {
  for (let failures = 0; ;) {
    try {
      const execution = await getRun(session, id);
      if (execution.completed_at !== null) return execution;
      failures = 0;
    } catch (error) {
      if (isFinal(error, session, ++failures)) throw error;
    }
    await pause(failures === 0 ? POLL_MS : RECONNECT_MS, session.signal);
  }
}

/** While a pod is lost and another one takes the run over, requests fail, and the run continues. */
function isFinal(error: unknown, { signal }: Session, failures: number): boolean {
  const isRefused = error instanceof CommandFailure && error.exitCode !== EXIT.unreachable;
  return signal.aborted || isRefused || failures > MAX_RECONNECTS;
}

/** Shows the progress of a run until it ends. */
function followEvents(
  session: Session,
  id: string,
  onProgress: (progress: Schemas['ProgressDto']) => void,
): Promise<void> {
  const { client, signal } = session;
  const open = async (lastEventId: string | null) => {
    const header = { 'Last-Event-ID': lastEventId ?? undefined };
    const params = { path: { id }, header };
    const request = client.GET('/api/v1/executions/{id}/events', { params, parseAs: 'stream', signal });
    const { response } = await request;
    return response.status === NO_CONTENT ? null : answerOf(request);
  };
  const check = (error: unknown, failures: number): void => {
    if (isFinal(error, session, failures)) throw error;
  };
  return followRun({ open, onProgress, check, pause: () => pause(RECONNECT_MS, signal) });
}
