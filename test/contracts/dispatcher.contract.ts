import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Dispatchable,
  type DispatchConsumer,
  type Dispatcher,
  type ExecutionTrigger,
} from '@core/domain';

export interface DispatcherUnderTest {
  queue: Dispatcher & DispatchConsumer;
  /** Whether messages wait in the queue until they are due; if not, they are refused and dispatched later. */
  holdsDelayed: boolean;
  close(): Promise<void>;
}

/** Tests every promise of {@link Dispatcher} and {@link DispatchConsumer} against one implementation. */
export function dispatcherContract(
  name: string,
  factory: (concurrency: number) => Promise<DispatcherUnderTest>,
): void {
  describe(`Dispatcher: ${name}`, () => {
    let subject: DispatcherUnderTest;
    let worker: RecordingWorker;

    beforeEach(() => {
      worker = new RecordingWorker();
    });
    afterEach(async () => {
      worker.finishAll();
      await subject?.close();
    });

    async function open(concurrency = 1): Promise<Dispatcher & DispatchConsumer> {
      subject = await factory(concurrency);
      return subject.queue;
    }

    it('starts each execution once', async () => {
      const queue = await open(5);
      await queue.start(worker.run);
      const executions = Array.from({ length: 40 }, () => newExecution());
      for (const execution of executions) await queue.dispatch(execution);
      worker.finishAll();
      await worker.hasEnded(40);
      expect(worker.started.toSorted()).toEqual(executions.map(({ id }) => id).sort());
      expect(await queue.depth()).toBe(0);
    });

    it('starts executions that were dispatched before the consumer started', async () => {
      const queue = await open(2);
      const execution = newExecution();
      await queue.dispatch(execution);
      expect(await queue.depth()).toBe(1);
      await queue.start(worker.run);
      await worker.hasStarted(1);
      expect(worker.started).toEqual([execution.id]);
      expect(await queue.depth()).toBe(0);
    });

    it('runs as many executions at once as the concurrency allows', async () => {
      const queue = await open(3);
      await queue.start(worker.run);
      for (let index = 0; index < 8; index++) await queue.dispatch(newExecution());
      await worker.hasStarted(3);
      await sleep(50);
      expect(worker.runningCount).toBe(3);
      expect(await queue.depth()).toBe(5);
      worker.finishAll();
      await worker.hasEnded(8);
      expect(worker.mostAtOnce).toBe(3);
    });

    it('starts manual runs before webhooks before cron and recovery, each in order', async () => {
      const queue = await open(1);
      const [cron, recovery, webhook, manual, later] = [
        newExecution('cron'),
        newExecution('recovery'),
        newExecution('webhook'),
        newExecution('manual'),
        newExecution('manual'),
      ];
      for (const execution of [cron, recovery, webhook, manual, later]) await queue.dispatch(execution);
      worker.finishAll();
      await queue.start(worker.run);
      await worker.hasEnded(5);
      expect(worker.started).toEqual([manual, later, webhook, cron, recovery].map(({ id }) => id));
    });

    it('ignores repeated messages: a waiting or running attempt counts once', async () => {
      const queue = await open(2);
      const execution = newExecution();
      await queue.dispatch(execution);
      await queue.dispatch(execution);
      expect(await queue.depth()).toBe(1);
      await queue.start(worker.run);
      await worker.hasStarted(1);
      await queue.dispatch(execution);
      const other = newExecution();
      await queue.dispatch(other);
      await worker.hasStarted(2);
      expect(worker.started).toEqual([execution.id, other.id]);
    });

    it('starts an attempt again that ended without having started', async () => {
      const queue = await open(1);
      worker.finishAll();
      await queue.start(worker.run);
      const execution = newExecution();
      for (let times = 1; times <= 3; times++) {
        // The row is still queued, so the reconciler dispatches it again.
        while (worker.started.length < times) await Promise.all([queue.dispatch(execution), sleep(20)]);
      }
      expect(new Set(worker.started)).toEqual(new Set([execution.id]));
    });

    it('starts no execution before its time', async () => {
      const queue = await open(2);
      await queue.start(worker.run);
      const dueAt = Date.now() + 2_000;
      await queue.dispatch({ ...newExecution(), availableAt: new Date(dueAt) });
      expect(await queue.depth()).toBe(subject.holdsDelayed ? 1 : 0);
      const due = { ...newExecution(), availableAt: new Date(Date.now() - 1_000) };
      await queue.dispatch(due);
      await worker.hasStarted(1);
      expect(worker.started).toEqual([due.id]);
      if (!subject.holdsDelayed) return;
      await worker.hasStarted(2);
      expect(Date.now()).toBeGreaterThanOrEqual(dueAt);
    });

    describe('drain', () => {
      it('waits for active runs and starts no other', async () => {
        const queue = await open(2);
        await queue.start(worker.run);
        for (let index = 0; index < 5; index++) await queue.dispatch(newExecution());
        await worker.hasStarted(2);
        let isDrained = false;
        const drained = queue.drain().then(() => (isDrained = true));
        await queue.dispatch(newExecution()).catch(() => undefined);
        await sleep(50);
        expect(isDrained).toBe(false);
        worker.finishAll();
        await drained;
        await sleep(50);
        expect(worker.started).toHaveLength(2);
        expect(worker.runningCount).toBe(0);
      });

      it('returns at once if the queue never started, or is idle', async () => {
        const queue = await open(1);
        await queue.drain();
        await queue.start(worker.run);
        await queue.drain();
        expect(worker.started).toEqual([]);
      });
    });
  });
}

function newExecution(trigger: ExecutionTrigger = 'cron'): Dispatchable {
  return { id: randomUUID(), trigger, attempt: 1, availableAt: null };
}

/** Records each call, and holds each run until `finishAll`. */
export class RecordingWorker {
  readonly started: string[] = [];
  runningCount = 0;
  mostAtOnce = 0;
  private endedCount = 0;
  private release = (): void => undefined;
  private readonly released = new Promise<void>((resolve) => (this.release = resolve));

  readonly run = async (executionId: string): Promise<void> => {
    this.started.push(executionId);
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.runningCount);
    await this.released;
    this.runningCount--;
    this.endedCount++;
  };

  /** Ends all runs, including later ones. */
  finishAll(): void {
    this.release();
  }
  async hasStarted(count: number): Promise<void> {
    while (this.started.length < count) await sleep(5);
  }
  async hasEnded(count: number): Promise<void> {
    while (this.endedCount < count) await sleep(5);
  }
}
