/** Facts about a span: ids, counts and words of fixed lists; never a path, a URL or a secret. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>;

/** Adds what became known while the span was open; with `error.type` it counts as failed. */
export type Note = (facts: SpanFacts) => void;

/**
 * Tells how long the parts of a piece of work took, as a tree of spans. Nesting follows the calls. A span fails when
 * its work throws, and tells the error's code alone. Must neither throw nor wait.
 */
export interface Tracer {
  /** Work that begins a tree of its own, whoever caused it. */
  root<T>(name: string, facts: SpanFacts, work: (note: Note) => Promise<T>): Promise<T>;
  /** A part of the span that is open. */
  span<T>(name: string, facts: SpanFacts, work: (note: Note) => Promise<T>): Promise<T>;
  /** The same for what is read item by item: from the first item asked for until the last, or until nobody asks on. */
  items<T>(name: string, facts: SpanFacts, source: AsyncIterable<T>): AsyncIterable<T>;
}

/** Does the work and tells nobody. */
export const noTracer: Tracer = {
  root: (_name, _facts, work) => work(() => undefined),
  span: (_name, _facts, work) => work(() => undefined),
  items: (_name, _facts, source) => source,
};
