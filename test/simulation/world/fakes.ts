import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';

/** Traces the messages of warnings and errors, and drops the rest. */
export function createTracingLogger(trace: (text: string) => void): Logger {
  const logMessage = (details: unknown, message: string) => {
    const { reason, err } = details as { reason?: unknown; err?: { internalMessage?: string; message?: string } };
    trace(`${message} ${String(reason ?? err?.internalMessage ?? err?.message ?? '')}`);
  };
  return { info: () => undefined, debug: () => undefined, warn: logMessage, error: logMessage } as unknown as Logger;
}

const ignore = () => undefined;
const noMetric = { inc: ignore, dec: ignore, set: ignore, observe: ignore, labels: () => noMetric };
/** Metrics that count nothing. */
export const noMetrics = new Proxy({}, { get: () => noMetric }) as Metrics;
