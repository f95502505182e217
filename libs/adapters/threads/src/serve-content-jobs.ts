import { parentPort } from 'node:worker_threads';
import { toRepotideError, type ContentJob, type PreparedContent } from '@core/domain';

/** From a thread: it is ready, or the result of its job. */
export type ThreadMessage =
  | { kind: 'ready' }
  | { kind: 'done'; content: PreparedContent }
  | {
      kind: 'failed';
      error: { kind: ReturnType<typeof toRepotideError>['kind']; code: string; message: string };
    };

/** The other side of `ContentThreads`: the main function of a worker thread. */
export function serveContentJobs(prepare: (job: ContentJob) => PreparedContent): void {
  const answer = (message: ThreadMessage): void => parentPort?.postMessage(message);
  parentPort?.on('message', (job: ContentJob) => {
    try {
      answer({ kind: 'done', content: prepare(job) });
    } catch (thrown) {
      const { kind, code, message } = toRepotideError(thrown);
      answer({ kind: 'failed', error: { kind, code, message } });
    }
  });
  answer({ kind: 'ready' });
}
