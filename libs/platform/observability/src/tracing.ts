import { type IncomingHttpHeaders } from 'node:http';

type Facts = Readonly<Record<string, string | number | boolean>>;
type Note = (facts: Facts) => void;

/** The domain's `Tracer` for this process, and what only the process itself needs. */
export abstract class Tracing {
  abstract root<T>(name: string, facts: Facts, work: (note: Note) => Promise<T>): Promise<T>;
  abstract span<T>(name: string, facts: Facts, work: (note: Note) => Promise<T>): Promise<T>;
  abstract items<T>(name: string, facts: Facts, source: AsyncIterable<T>): AsyncIterable<T>;
  /** An incoming request, as a part of its caller's trace when it names one (`traceparent`). */
  abstract request(headers: IncomingHttpHeaders, work: (end: EndRequest) => void): void;
  /** Sends the remaining spans, for a few seconds at most. Safe to repeat. */
  abstract stop(): Promise<void>;
}

/** @param route the pattern that matched, e.g. `/api/v1/schedules/:id`; undefined when none did. */
export type EndRequest = (method: string, route: string | undefined, status: number) => void;

export interface TracingOptions {
  podName: string;
  logger: { warn(fields: object, message: string): void };
}
