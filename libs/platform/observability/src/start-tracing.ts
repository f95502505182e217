import { type Tracing, type TracingOptions } from './tracing.js';

const noTracing: Tracing = {
  root: (_name, _facts, work) => work(() => undefined),
  span: (_name, _facts, work) => work(() => undefined),
  items: (_name, _facts, source) => source,
  request: (_headers, work) => work(() => undefined),
  stop: async () => undefined,
};

/**
 * Starts sending OpenTelemetry traces. What the options leave open (sampler, batches, limits, resource attributes) the
 * SDK reads from its standard variables. Once a process.
 * @param options undefined: nothing is loaded and nothing costs anything.
 */
export async function startTracing(options: TracingOptions | undefined): Promise<Tracing> {
  if (options === undefined) return noTracing;
  const { startOpenTelemetry } = await import('./open-telemetry.js');
  return startOpenTelemetry(options);
}
