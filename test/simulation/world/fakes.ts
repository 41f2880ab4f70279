import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import type { Metrics } from '@widget-service/shared/runtime/metrics.ts';

/** Hands the messages of warnings and errors on, and drops the rest. */
export function createTracingLogger(trace: (text: string) => void): Logger {
  const tell = (details: unknown, message: string) => {
    const { reason, err } = details as { reason?: unknown; err?: { internalMessage?: string; message?: string } };
    trace(`${message} ${String(reason ?? err?.internalMessage ?? err?.message ?? '')}`);
  };
  return { info: () => undefined, debug: () => undefined, warn: tell, error: tell } as unknown as Logger;
}

/** Counts nothing. */
export const noMetrics = new Proxy({}, { get: () => ({ inc: () => undefined, dec: () => undefined }) }) as Metrics;
