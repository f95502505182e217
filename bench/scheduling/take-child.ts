/**
 * Takes executions and ends them, like the workers of one pod, until the queue is empty. Runs do nothing in between.
 * Its argument is the JSON of `TakeJob`. It sends `ready`, waits for any message, and sends the JSON of `TakeResult`.
 */
import { once } from 'node:events';
import { connectDatabase, createExecutionStore, type Database } from '@adapters/postgres';
import { RUN_HANDLERS, type RunOutcome, zeroCounters } from '@core/domain';
import { silentLogger } from '../../test/support/silent-logger.js';
import { BARE_QUEUE, type TakeJob, type TakeResult } from './take-job.js';

const ENDED: RunOutcome = {
  status: 'completed',
  counters: zeroCounters(),
  ...{ fromCommit: null, toCommit: null, errorCode: null, errorMessage: null },
};

const job = JSON.parse(process.argv[2]!) as TakeJob;
const db = await connectDatabase({ url: job.url, poolSize: job.workers, logger: silentLogger });
const takeAndEnd = job.way === 'product' ? productOf(db) : bareOf(db);
process.send!('ready');
await once(process, 'message');
const times: number[] = [];
await Promise.all(Array.from({ length: job.workers }, work));
await db.close();
process.send!(JSON.stringify({ times } satisfies TakeResult), () => process.disconnect());

async function work(): Promise<void> {
  for (;;) {
    const began = performance.now();
    const end = await takeAndEnd();
    if (end === null) return;
    times.push(performance.now() - began);
    await end();
  }
}

/** Resolves after the take with what ends the run, or with null when the queue is empty. */
type TakeAndEnd = () => Promise<(() => Promise<unknown>) | null>;

function productOf(database: Database): TakeAndEnd {
  const executions = createExecutionStore(database);
  return async () => {
    const taken = await executions.take({ podName: job.podName, handlers: RUN_HANDLERS }, async () => true);
    if (taken === null) return null;
    if (taken.kind !== 'started')
      throw new Error('A take was refused, though nothing else holds the repository.');
    return () => executions.finish(taken.run, ENDED);
  };
}

function bareOf(database: Database): TakeAndEnd {
  return async () => {
    const row = await database.first<{ id: string }>(BARE_QUEUE.take);
    return row && (() => database.query(BARE_QUEUE.end, [row.id]));
  };
}
