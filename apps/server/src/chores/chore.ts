import { errorFields, type Logger } from '@core/domain';

/** Periodic work that the leader does for all pods. It must be idempotent, also when two pods run it at once. */
export interface Chore {
  /** Names the chore in the log. */
  readonly name: string;
  /** May throw: the failure is logged and the chore runs again at its next interval. */
  run(signal: AbortSignal): Promise<void>;
  /** Called in place of `run` while this pod does not lead. */
  standBy?(): void;
}

/** Does work for each item, one after the other. One that fails stops no other. @throws the first failure, after all of them. */
export async function forEachOf<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) await work(item).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** Runs periodic work once. Never throws: a failure is logged, as the work runs again at its next interval. */
export async function attempt(logger: Logger, chore: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    logger.warn({ chore, ...errorFields(thrown) }, 'chore failed; it runs again at its next interval');
  }
}
