import { type DestinationStream, type Logger, pino } from 'pino';
import { ExitError } from './exit-error.ts';

export type { Logger } from 'pino';

export interface LoggerOptions {
  readonly level: string;
  /** Writes readable lines for a terminal instead of JSON. */
  readonly isPretty?: boolean;
  /** Receives the JSON lines. Standard output by default. Not used with `isPretty`. */
  readonly destination?: DestinationStream;
}

/**
 * Creates the process's logger: one JSON object per line, with RFC 3339 times. It hides nothing: never log a secret.
 */
export async function createLogger({ level, isPretty = false, destination }: LoggerOptions): Promise<Logger> {
  const options = {
    level,
    base: null,
    timestamp: createTimestamp(),
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: serializeError, error: serializeError },
  };
  // Writes do not block the caller. Lines that arrive during a write share the next one. pino flushes at exit.
  if (!isPretty) return pino(options, destination ?? pino.destination({ dest: 1, sync: false }));
  const { default: pretty } = await import('pino-pretty');
  // Writes synchronously in this thread: otherwise the line that says why a process exits could get lost.
  return pino(options, pretty({ sync: true, singleLine: true, translateTime: 'SYS:HH:MM:ss.l' }));
}

/** Creates pino's timestamp function. Lines of the same millisecond share the text. */
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

/** Returns an error's members for the log, with its internal message and its cause. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, internalMessage } = error as Error & { code?: unknown; internalMessage?: unknown };
  return {
    name: error.name,
    message: error.message,
    ...(code === undefined ? {} : { code }),
    ...(internalMessage === undefined ? {} : { internalMessage }),
    // An `ExitError` is for the operator: its message says what to do, and its stack is of no use.
    ...(error instanceof ExitError ? {} : { stack: error.stack }),
    ...(error.cause === undefined ? {} : { cause: serializeError(error.cause) }),
  };
}
