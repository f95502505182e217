import { choice, httpUrl, text } from './variable.js';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** OpenTelemetry's own names. Those without a reader in this library are obeyed by its SDK, and checked here. */
export const tracing = {
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl({
    description:
      'Where traces go: the base URL of a receiver of OTLP over HTTP (JSON), usually at port 4318; `/v1/traces` is added. Unset: no traces, and nothing of OpenTelemetry is loaded.',
    defaultNote: 'no traces',
    example: 'http://otel-collector:4318',
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl({
    description: 'The same for traces alone, as a complete URL; it goes before the other.',
    example: 'http://otel-collector:4318/v1/traces',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: text(
    /^[\w.-]+=[^,=][^,]*(,[\w.-]+=[^,=][^,]*)*$/,
    'comma-separated pairs name=value, values percent-encoded',
    {
      description: 'Headers for the receiver, such as its key.',
      secret: true,
      example: 'authorization=Bearer%20<key>',
    },
  ),
  OTEL_SERVICE_NAME: text(/^.{1,255}$/, 'a name of up to 255 characters', {
    description: 'What traces call this service.',
    default: 'repotide',
  }),
  OTEL_RESOURCE_ATTRIBUTES: text(/^[^,=]+=[^,=]*(,[^,=]+=[^,=]*)*$/, 'comma-separated pairs key=value', {
    description: 'Put on every trace.',
    example: 'deployment.environment.name=production',
  }),
  OTEL_TRACES_SAMPLER: choice(SAMPLERS, {
    description: 'Which traces are kept; `parentbased_...` follows the caller where a request names a trace.',
    default: 'parentbased_always_on',
  }),
  OTEL_TRACES_SAMPLER_ARG: text(/^(0?\.\d+|0|1|1\.0+)$/, 'a number from 0 to 1', {
    description: 'The share of traces that `traceidratio` and `parentbased_traceidratio` keep.',
    example: '0.1',
  }),
  OTEL_TRACES_EXPORTER: choice(['otlp', 'none'], {
    description: '`none` turns traces off although an endpoint is set.',
    default: 'otlp',
  }),
  OTEL_SDK_DISABLED: choice(['true', 'false'], {
    description: '`true` turns OpenTelemetry off, whatever else is set.',
    default: 'false',
  }),
};
