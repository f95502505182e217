const NAME = Symbol.for('repotide.once-a-worker');
const shared = ((globalThis as { [NAME]?: Map<string, unknown> })[NAME] ??= new Map<string, unknown>());

/** Makes a value once for all test files of a worker, because making it takes long and no test changes it. */
export function onceAWorker<T>(name: string, make: () => T): T {
  if (!shared.has(name)) shared.set(name, make());
  return shared.get(name) as T;
}
