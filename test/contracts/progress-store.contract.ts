import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type ProgressStore, type ProgressTask } from '@core/domain';
import { until } from '../support/command-line.js';

export interface StoreUnderTest {
  store: ProgressStore;
  /** The view of another pod; the same store if there is only one pod. */
  other: ProgressStore;
  close(): Promise<void>;
}

export function progressTask(changes: Partial<ProgressTask> = {}): ProgressTask {
  const now = new Date();
  return {
    taskId: randomUUID(),
    userId: 'somebody',
    collectionName: 'code',
    status: 'embedding',
    progress: 70,
    currentStep: 'embedding',
    totalSteps: 7,
    currentStepNumber: 6,
    message: 'Working',
    error: null,
    repositoryPath: 'team/app',
    branch: 'main',
    totalFiles: 10,
    processedFiles: 7,
    currentFile: 'src/größe.ts',
    failedFiles: 0,
    createdAt: now,
    updatedAt: now,
    cancelled: false,
    stages: [{ stage: 'embedding', state: 'active', done: 7, total: null, unit: 'chunks' }],
    filesPerSecond: 1.5,
    etaSeconds: null,
    ...changes,
  };
}

/** Tests every promise of a progress store against one implementation. */
export function progressStoreContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`progress store: ${name}`, () => {
    let subject: StoreUnderTest;
    beforeEach(async () => {
      subject = await open();
    });
    afterEach(() => subject.close());

    it('shows the latest saved state on every pod', async () => {
      const task = progressTask();
      await subject.store.save(task);
      await subject.store.save({ ...task, progress: 80 });
      expect(await subject.other.find(task.taskId)).toEqual({ ...task, progress: 80 });
    });

    it('stores the last of several saves that are sent at once', async () => {
      const task = progressTask();
      const states = [70, 75, 80].map((progress) => ({ ...task, progress }));
      const ended = { ...task, status: 'completed' as const, progress: 100 };
      const saved = await Promise.all([...states, ended].map((state) => subject.store.save(state)));
      expect(saved).toEqual([true, true, true, true]);
      expect(await subject.other.find(task.taskId)).toEqual(ended);
    });

    it('has neither state nor events of an unknown task', async () => {
      expect(await subject.other.find(randomUUID())).toBeNull();
      expect(await subject.other.eventsAfter(randomUUID(), null)).toEqual([]);
    });

    it('lists the tasks of a user and counts all by status', async () => {
      const [mine, ended, theirs] = [
        progressTask(),
        progressTask({ status: 'completed' }),
        progressTask({ userId: 'else' }),
      ];
      for (const task of [mine, ended, theirs]) await subject.store.save(task);
      const listed = await subject.other.listOf('somebody');
      expect(listed.map((task) => task.taskId).sort()).toEqual([mine.taskId, ended.taskId].sort());
      expect(await subject.other.countByStatus()).toEqual({ embedding: 2, completed: 1 });
    });

    it('replays the events after any given one, the same on every pod', async () => {
      const task = progressTask();
      for (const progress of [1, 2, 3, 4]) await subject.store.save({ ...task, progress });
      const all = await subject.store.eventsAfter(task.taskId, null);
      expect(all.map((event) => event.task.progress)).toEqual([1, 2, 3, 4]);
      const rest = await subject.other.eventsAfter(task.taskId, all[1]!.id);
      expect(rest).toEqual(all.slice(2));
      expect(await subject.other.eventsAfter(task.taskId, all[3]!.id)).toEqual([]);
      expect(await subject.other.eventsAfter(task.taskId, 'nonsense')).toEqual(all);
    });

    it('keeps only the newest events, about a thousand', async () => {
      const task = progressTask();
      for (let index = 0; index < 1_300; index++)
        await subject.store.save({ ...task, processedFiles: index });
      const kept = await subject.other.eventsAfter(task.taskId, null);
      expect(kept.length).toBeLessThanOrEqual(1_000);
      expect(kept.at(-1)?.task.processedFiles).toBe(1_299);
    });

    it('notifies subscribers of changes until they unsubscribe', async () => {
      const task = progressTask();
      let news = 0;
      const unsubscribe = subject.other.subscribe(task.taskId, () => news++);
      await until('news', async () => {
        await subject.store.save(task);
        return news > 0;
      });
      unsubscribe();
      const heard = news;
      await subject.store.save(task);
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(news).toBe(heard);
    });
  });
}
