import {
  context,
  diag,
  DiagLogLevel,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { addLogFields } from './log-context.js';
import { registerSecrets } from './redaction.js';
import { type EndRequest, type Tracing, type TracingOptions } from './tracing.js';

/** A receiver that hangs must not delay the stop of a pod. */
const FLUSH_MS = 3_000;
/** An unavailable receiver is logged once a minute, not with every batch. */
const WARNING_INTERVAL_MS = 60_000;

type Facts = Parameters<Tracing['span']>[1];

export function startOpenTelemetry(options: TracingOptions): Tracing {
  logFailuresTo(options.logger);
  registerSecrets(headerValues(process.env));
  const provider = new NodeTracerProvider({
    resource: resourceOf(options),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  addLogFields(activeIds);
  const tracer = provider.getTracer('repotide');
  return {
    root: (name, facts, work) =>
      context.with(ROOT_CONTEXT, () => inSpan(tracer, name, facts, SpanKind.CONSUMER, work)),
    span: (name, facts, work) => inSpan(tracer, name, facts, kindOf(facts), work),
    items: (name, facts, source) => itemsInSpan(tracer, name, facts, source),
    request: (incoming, work) => {
      const parent = propagation.extract(context.active(), incoming);
      const span = tracer.startSpan('request', { kind: SpanKind.SERVER }, parent);
      const end: EndRequest = (method, route, status) => endRequest(span, method, route, status);
      context.with(trace.setSpan(parent, span), () => work(end));
    },
    stop: () => atMost(FLUSH_MS, provider.shutdown()),
  };
}

/** `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` override these names. */
function resourceOf({ podName }: TracingOptions) {
  const own = resourceFromAttributes({ 'service.name': 'repotide', 'service.instance.id': podName });
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
}

/** The values of the receiver's headers, raw and decoded: they may contain a key, which must not reach the log. */
function headerValues(env: NodeJS.ProcessEnv): string[] {
  return [env.OTEL_EXPORTER_OTLP_HEADERS, env.OTEL_EXPORTER_OTLP_TRACES_HEADERS]
    .flatMap((headers) => headers?.split(',') ?? [])
    .map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
    .flatMap((value) => [value, decode(value)])
    .flatMap((value) => [value, value.replace(/^\S+ /, '')]);
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function inSpan<T>(
  tracer: Tracer,
  name: string,
  facts: Facts,
  kind: SpanKind,
  work: (note: (facts: Facts) => void) => Promise<T>,
): Promise<T> {
  return tracer.startActiveSpan(name, { kind, attributes: named(facts) }, async (span) => {
    try {
      return await work((more) => {
        span.setAttributes(named(more));
        if ('error.type' in more) span.setStatus({ code: SpanStatusCode.ERROR });
      });
    } catch (error) {
      fail(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

async function* itemsInSpan<T>(
  tracer: Tracer,
  name: string,
  facts: Facts,
  source: AsyncIterable<T>,
): AsyncGenerator<T> {
  const span = tracer.startSpan(name, { kind: kindOf(facts), attributes: named(facts) });
  const within = trace.setSpan(context.active(), span);
  const iterator = source[Symbol.asyncIterator]();
  let isOver = false;
  try {
    for (;;) {
      const step = await context.with(within, () => iterator.next());
      isOver = step.done === true;
      if (step.done === true) return;
      yield step.value;
    }
  } catch (error) {
    isOver = true;
    fail(span, error);
    throw error;
  } finally {
    if (!isOver) await iterator.return?.();
    span.end();
  }
}

function endRequest(span: Span, method: string, route: string | undefined, status: number): void {
  span.updateName(route === undefined ? method : `${method} ${route}`);
  span.setAttributes({ 'http.request.method': method, 'http.response.status_code': status });
  if (route !== undefined) span.setAttribute('http.route', route);
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Records only the code: messages contain paths and addresses, and other people may read the traces. */
function fail(span: Span, error: unknown): void {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  const found = [code, name].find((value) => typeof value === 'string');
  span.setAttribute('error.type', typeof found === 'string' ? found : 'unknown');
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Adds a prefix to our attributes; a name with a dot is one of OpenTelemetry's. */
function named(facts: Facts): Facts {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name.includes('.') ? name : `repotide.${name}`, value]),
  );
}

function kindOf(facts: Facts): SpanKind {
  return 'server.address' in facts ? SpanKind.CLIENT : SpanKind.INTERNAL;
}

function activeIds(): object {
  const active = trace.getActiveSpan()?.spanContext();
  return active === undefined ? {} : { trace_id: active.traceId, span_id: active.spanId };
}

function logFailuresTo(logger: TracingOptions['logger']): void {
  let nextWarningAt = 0;
  const warn = (message: string): void => {
    if (performance.now() < nextWarningAt) return;
    nextWarningAt = performance.now() + WARNING_INTERVAL_MS;
    logger.warn({ reason: message.slice(0, 500) }, 'traces are not delivered; runs are not affected');
  };
  const ignore = (): void => undefined;
  diag.setLogger({ error: warn, warn, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.WARN);
}

/** Waits until the work succeeds or fails, but no longer than the limit. */
async function atMost(limitMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)));
  await Promise.race([work.catch(() => undefined), limit]);
  clearTimeout(timer);
}
