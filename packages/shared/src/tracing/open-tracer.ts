import { noTracer, type Tracer, type TracingSettings } from './tracer.ts';

/**
 * Opens the process's tracer. Without a receiver of its spans, OpenTelemetry is not loaded: it would cost memory and
 * start-up time. `onWarning` gets one line whenever spans are lost.
 */
export async function openTracer(
  settings: TracingSettings,
  serviceName: string,
  onWarning: (message: string) => void,
): Promise<Tracer> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = settings;
  if (endpoint === null) return noTracer;
  const { openOtlpTracer } = await import('./otlp-tracer.ts');
  return openOtlpTracer(endpoint, settings, serviceName, onWarning);
}
