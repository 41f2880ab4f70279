import { defineSetting } from './define-setting.ts';
import { baseUrl, flag, fraction, nonEmptyText } from './value-schemas.ts';

/** Settings of tracing. Part of `settingsTable`. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: defineSetting(
    baseUrl,
    null,
    'Base URL of an OTLP receiver of traces, over HTTP with protobuf. The service appends /v1/traces. Not set: no tracing.',
  ),
  OTEL_TRACES_SAMPLER_ARG: defineSetting(fraction, 0.01, 'Share of requests that are traced, from 0 to 1.'),
  TRACEPARENT_ENABLED: defineSetting(
    flag,
    false,
    'Whether a request with a traceparent header continues the trace of its sender and follows the sender’s decision to trace. Only for senders that you trust: each of them can have all its requests traced.',
  ),
  OTEL_SERVICE_NAME: defineSetting(
    nonEmptyText,
    ({ app }) => `widget-${app}`,
    'Name of the process in traces. The default is widget-api or widget-worker.',
  ),
} as const;
