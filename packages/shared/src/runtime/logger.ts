import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

export interface LoggerOptions {
  readonly level: string;
  /** Where the lines go; standard output by default. */
  readonly destination?: DestinationStream;
  /** Pretty-prints lines for a person at a terminal. */
  readonly transport?: { readonly target: string; readonly options?: Record<string, unknown> };
}

/** The process's logger: one JSON object per line, times as RFC 3339. Nothing secret is ever handed to it. */
export function createLogger({ level, destination, transport }: LoggerOptions): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: transport === undefined ? { level: (label: string) => ({ level: label }) } : {},
    serializers: { err: describeError, error: describeError },
  };
  if (transport !== undefined) return pino({ ...options, transport });
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** An error with the text that is for our logs only, and with what caused it. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, internal } = error as Error & { code?: unknown; internal?: unknown };
  return {
    name: error.name,
    message: error.message,
    ...(code === undefined ? {} : { code }),
    ...(internal === undefined ? {} : { internal }),
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}
