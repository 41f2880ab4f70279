import { defineSetting } from './define-setting.ts';
import { baseUrl, fraction, nonEmptyText } from './value-schemas.ts';

/** Settings of tracing. Part of `settingsTable`. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: defineSetting(
    baseUrl,
    null,
    'Base URL of an OTLP receiver of traces, over HTTP with protobuf. The service appends /v1/traces. Not set: no tracing.',
  ),
  OTEL_TRACES_SAMPLER_ARG: defineSetting(
    fraction,
    0.01,
    'Share of requests that are traced, from 0 to 1. A request with a traceparent header follows its sender’s decision.',
  ),
  OTEL_SERVICE_NAME: defineSetting(
    nonEmptyText,
    ({ app }) => `widget-${app}`,
    'Name of the process in traces. The default is widget-api or widget-worker.',
  ),
} as const;
