import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import type { Metrics } from '@widget-service/shared/runtime/metrics.ts';

/** Traces the messages of warnings and errors, and drops the rest. */
export function createTracingLogger(trace: (text: string) => void): Logger {
  const logMessage = (details: unknown, message: string) => {
    const { reason, err } = details as { reason?: unknown; err?: { internalMessage?: string; message?: string } };
    trace(`${message} ${String(reason ?? err?.internalMessage ?? err?.message ?? '')}`);
  };
  return { info: () => undefined, debug: () => undefined, warn: logMessage, error: logMessage } as unknown as Logger;
}

/** Metrics that count nothing. */
export const noMetrics = new Proxy({}, { get: () => ({ inc: () => undefined, dec: () => undefined }) }) as Metrics;
