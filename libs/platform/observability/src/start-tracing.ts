import { type Tracing, type TracingOptions } from './tracing.js';

const noTracing: Tracing = {
  root: (_name, _facts, work) => work(() => undefined),
  span: (_name, _facts, work) => work(() => undefined),
  items: (_name, _facts, source) => source,
  request: (_headers, work) => work(() => undefined),
  stop: async () => undefined,
};

/**
 * Sends OpenTelemetry traces if an OTLP endpoint is set; otherwise loads nothing. The SDK reads its own
 * standard variables (`OTEL_*`): endpoint, headers, service name, resource, sampler, batches. Call once per process.
 */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  const env = process.env;
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const isOff = env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none';
  if (!endpoint || isOff) return noTracing;
  const { startOpenTelemetry } = await import('./open-telemetry.js');
  return startOpenTelemetry(options);
}
