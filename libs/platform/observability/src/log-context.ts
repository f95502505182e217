import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<object>();
const sources: (() => object)[] = [];

/** Adds the fields to every line that `fn` and its asynchronous calls log. Nested calls add to the outer fields. */
export function withLogContext<T>(fields: object, fn: () => T): T {
  return storage.run({ ...storage.getStore(), ...fields }, fn);
}

/** Adds fields to every line of the process. `source` is called for each line. */
export function addLogFields(source: () => object): void {
  sources.push(source);
}

/** Returns a copy, because the logger merges a line's own fields into it. */
export function currentLogContext(): object {
  return Object.assign({}, ...sources.map((source) => source()), storage.getStore()) as object;
}
