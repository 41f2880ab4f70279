import { noTracer, type Tracer, type TracerOptions } from './tracer.ts';

/**
 * Opens the process's tracer. Without an endpoint, OpenTelemetry is not loaded: it would cost memory and start-up
 * time. `onWarning` gets one line whenever spans are lost.
 */
export async function openTracer(
  { endpoint, ...options }: TracerOptions,
  onWarning: (message: string) => void,
): Promise<Tracer> {
  if (endpoint === null) return noTracer;
  const { openOtlpTracer } = await import('./otlp-tracer.ts');
  return openOtlpTracer({ endpoint, ...options }, onWarning);
}
