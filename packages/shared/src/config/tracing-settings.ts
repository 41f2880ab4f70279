import { defineSecret, defineSetting } from './define-setting.ts';
import { receiverUrl } from './url-schemas.ts';
import { flag, fraction, headers, milliseconds, nonEmptyText, pemFile } from './value-schemas.ts';

/** Settings of tracing. Part of `settingsTable`. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: defineSecret(
    receiverUrl,
    null,
    'Base URL of an OTLP receiver of traces, over HTTP with protobuf. The service appends /v1/traces. Not set: no tracing.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: defineSecret<Readonly<Record<string, string>> | null>(
    headers,
    null,
    'Headers of each export, for example authorization=Bearer%20abc: comma-separated pairs with percent-encoded values.',
  ),
  OTEL_EXPORTER_OTLP_TIMEOUT: defineSetting(milliseconds(1), 10_000, 'How many milliseconds an export may take.'),
  // OpenTelemetry's exporter reads the files itself. It would only warn of one that it cannot read.
  OTEL_EXPORTER_OTLP_CERTIFICATE: defineSetting(
    pemFile,
    null,
    'PEM file of the certificate authority of the receiver. The default is that of Node.',
  ),
  OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: defineSetting(
    pemFile,
    null,
    'PEM file of the certificate that this process shows to the receiver.',
  ),
  OTEL_EXPORTER_OTLP_CLIENT_KEY: defineSetting(pemFile, null, 'PEM file of the private key of that certificate.'),
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
