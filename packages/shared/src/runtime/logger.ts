import { type DestinationStream, type Logger, pino } from 'pino';
import { ExitError } from './exit-error.ts';

export type { Logger } from 'pino';

export interface LoggerOptions {
  readonly level: string;
  /** Lines for a person at a terminal instead of JSON. */
  readonly isPretty?: boolean;
  /** Where the lines go; standard output by default. */
  readonly destination?: DestinationStream;
}

/** The process's logger: one JSON object per line, times as RFC 3339. Nothing secret is ever handed to it. */
export async function createLogger({ level, isPretty = false, destination }: LoggerOptions): Promise<Logger> {
  const options = {
    level,
    base: null,
    timestamp: createTimestamp(),
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError, error: describeError },
  };
  // Not in the caller's way: what comes while a write is under way shares the next one. pino flushes at exit.
  if (!isPretty) return pino(options, destination ?? pino.destination({ dest: 1, sync: false }));
  const { default: pretty } = await import('pino-pretty');
  // In this thread and at once: the line that says why a process ends must not die with it.
  return pino(options, pretty({ sync: true, singleLine: true, translateTime: 'SYS:HH:MM:ss.l' }));
}

/** The time as pino writes it; lines of one millisecond share its text. */
function createTimestamp(): () => string {
  let lastMs = 0;
  let text = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs !== lastMs) {
      lastMs = nowMs;
      text = `,"time":"${new Date(nowMs).toISOString()}"`;
    }
    return text;
  };
}

/** An error with the text that is for our logs only, and with what caused it. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, internalMessage } = error as Error & { code?: unknown; internalMessage?: unknown };
  return {
    name: error.name,
    message: error.message,
    ...(code === undefined ? {} : { code }),
    ...(internalMessage === undefined ? {} : { internalMessage }),
    // An error for the operator says what to do; where it was thrown is of no use to anybody.
    ...(error instanceof ExitError ? {} : { stack: error.stack }),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}
