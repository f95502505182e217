import { type IncomingHttpHeaders } from 'node:http';

type Facts = Readonly<Record<string, string | number | boolean>>;
type AddAttributes = (facts: Facts) => void;

/** The domain's `Tracer`, with methods for the process itself. */
export abstract class Tracing {
  abstract root<T>(name: string, facts: Facts, work: (note: AddAttributes) => Promise<T>): Promise<T>;
  abstract span<T>(name: string, facts: Facts, work: (note: AddAttributes) => Promise<T>): Promise<T>;
  abstract items<T>(name: string, facts: Facts, source: AsyncIterable<T>): AsyncIterable<T>;
  /** Traces an incoming request, as part of the caller's trace if it has a `traceparent` header. */
  abstract request(headers: IncomingHttpHeaders, work: (end: EndRequest) => void): void;
  /** Sends the remaining spans, for a few seconds at most. Safe to repeat. */
  abstract stop(): Promise<void>;
}

/** @param route the matching pattern, e.g. `/api/v1/schedules/:id`; undefined when no route matched. */
export type EndRequest = (method: string, route: string | undefined, status: number) => void;

export interface TracingOptions {
  podName: string;
  logger: { warn(fields: object, message: string): void };
}
