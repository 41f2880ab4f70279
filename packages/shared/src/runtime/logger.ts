import { type DestinationStream, type Logger, pino } from 'pino';
import { ExitError } from './exit-error.ts';
import { getLogOutput, LogOutput } from './log-output.ts';
import { escapeControls, escapeControlsInColoredLines, escapeControlsInLines } from './printable-text.ts';

export type { Logger } from 'pino';

export interface LoggerOptions {
  readonly level: string;
  /** Writes readable lines for a terminal instead of JSON. */
  readonly isPretty?: boolean;
  /** Receives the lines. Standard output by default. */
  readonly destination?: DestinationStream;
}

/**
 * Creates the process's logger: one JSON object per line, with RFC 3339 times. It hides nothing: never log a secret.
 *
 * A line may hold foreign text, such as a header or the message of a store's error. No control character of it reaches
 * the output: here is the one place that escapes them. Writing never blocks or ends the process: see `LogOutput`.
 */
export async function createLogger({ level, isPretty = false, destination }: LoggerOptions): Promise<Logger> {
  const options = {
    level,
    base: null,
    timestamp: createTimestamp(),
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: serializeError, error: serializeError },
  };
  const output = destination ?? getLogOutput(1);
  // pino has escaped the other characters that JSON does not allow raw.
  const format = isPretty ? await createPrettyFormat() : escapeControlsInLines;
  const logger = pino(options, { write: (line) => output.write(format(line)) });
  if (output instanceof LogOutput) output.onRecovery((lines) => logger.warn({ lines }, 'log.lines_dropped'));
  return logger;
}

/** Makes the function that formats a JSON line for a terminal. */
async function createPrettyFormat(): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty');
  const format = prettyFactory({ singleLine: true, translateTime: 'SYS:HH:MM:ss.l' });
  // pino-pretty writes messages and stacks as they are, so they are escaped before they get colours, which begin with
  // ESC. It writes everything else as JSON, which has no ESC.
  const escapeMember = (name: string, value: unknown) => {
    if (typeof value !== 'string') return value;
    return name === 'msg' ? escapeControls(value) : name === 'stack' ? escapeControlsInLines(value) : value;
  };
  return (line) => escapeControlsInColoredLines(format(JSON.parse(line, escapeMember)));
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
