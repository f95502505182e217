import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<object>();

/** Adds the fields to every line that `fn`, and whatever it starts, logs. Nested calls add to the outer fields. */
export function withLogContext<T>(fields: object, fn: () => T): T {
  return storage.run({ ...storage.getStore(), ...fields }, fn);
}

/** A copy: the logger merges a line's own fields into it. */
export function currentLogContext(): object {
  return { ...storage.getStore() };
}
