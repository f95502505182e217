/** Attributes of a span: ids, counts and values of fixed lists; never a path, a URL or a secret. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Adds attributes to the open span; `error.type` marks it as failed. */
export type AddAttributes = (facts: SpanAttributes) => void;

/**
 * Records durations as a tree of spans that follows the calls. A span fails when its work throws, and records only the
 * error's code. Must neither throw nor wait.
 */
export interface Tracer {
  /** Starts a new tree. */
  root<T>(name: string, facts: SpanAttributes, work: (note: AddAttributes) => Promise<T>): Promise<T>;
  /** Starts a child of the current span. */
  span<T>(name: string, facts: SpanAttributes, work: (note: AddAttributes) => Promise<T>): Promise<T>;
  /** A span over an iteration: from the first item until the last, or until the reader stops. */
  items<T>(name: string, facts: SpanAttributes, source: AsyncIterable<T>): AsyncIterable<T>;
}

/** Records nothing. */
export const noTracer: Tracer = {
  root: (_name, _facts, work) => work(() => undefined),
  span: (_name, _facts, work) => work(() => undefined),
  items: (_name, _facts, source) => source,
};
