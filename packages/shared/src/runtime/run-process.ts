import { setTimeout as delay } from 'node:timers/promises';
import { describeError, ServiceError } from '../domain/errors.ts';
import { ExitError, exitCodes, toExitCode } from './exit-error.ts';
import { printText } from './log-output.ts';

export interface RunningProcess {
  /** Time limit of `stop`, in milliseconds. After it, the process exits with code 1. */
  readonly stopMaxMs: number;
  /**
   * Drains the process: it finishes or releases all work in progress. `isHurried` is true after SIGINT: someone waits
   * at a terminal, and there is no load balancer to wait for.
   */
  stop(isHurried: boolean): Promise<void>;
}

/**
 * Repeats of the first signal within this time do not count as a second signal. A terminal sends Ctrl-C to all its
 * processes, and npm forwards its own copy.
 */
const sameSignalMs = 1_000;
/** How long a start may go on after a signal. */
const startAfterSignalMaxMs = 1_000;

/**
 * Runs a process: starts it, waits for SIGTERM or SIGINT, stops it and exits with code 0. A second signal exits at
 * once.
 *
 * After a signal during the start, the start has one more second. Then the process exits with code 0 without a stop: it
 * has accepted nothing yet. A start may wait for MongoDB for half a minute, and nobody should wait for that.
 *
 * An error of `start` or `stop`, an uncaught exception or an unhandled rejection ends the process: a new process is
 * better than a damaged one. `start` passes other fatal errors to `fail`. First `report` logs the error. Then the
 * process exits, with the code of `toExitCode`.
 */
export async function runProcess(
  start: (fail: (error: unknown) => void) => Promise<RunningProcess>,
  report: (error: unknown) => void,
): Promise<void> {
  const fail = (error: unknown) => {
    report(error);
    // Exits one event-loop turn later, in case `report` writes asynchronously.
    setImmediate(() => process.exit(toExitCode(error)));
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  const firstSignal = waitForSignal();
  try {
    const running = await Promise.race([start(fail), firstSignal.then(() => delay(startAfterSignalMaxMs, null))]);
    if (running === null) process.exit(exitCodes.ok);
    const signal = await firstSignal;
    const { stopMaxMs } = running;
    const deadline = setTimeout(
      () => fail(new Error(`The process did not stop within ${stopMaxMs} ms and is ended.`)),
      stopMaxMs,
    );
    await running.stop(signal === 'SIGINT');
    clearTimeout(deadline);
    process.exit(exitCodes.ok);
  } catch (error) {
    fail(error);
  }
}

/**
 * Resolves with the first signal. After it, the other signal exits at once with code 1. So does the same one, once
 * `sameSignalMs` have passed.
 */
function waitForSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let first: { readonly signal: NodeJS.Signals; readonly atMs: number } | null = null;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        first ??= { signal, atMs: performance.now() };
        if (signal !== first.signal || performance.now() - first.atMs > sameSignalMs)
          process.exit(exitCodes.unexpected);
        resolve(signal);
      });
    }
  });
}

/**
 * Runs a command: calls `work`, and ends the process when its promise settles, whatever is still open: with code 0, or
 * with that of `toExitCode` and the error on standard error.
 *
 * SIGTERM and SIGINT end a command at once, with the exit code that a shell would report: 143 or 130. Without this,
 * Linux ignores both signals in a container, where the command is process 1.
 */
export async function runCommand(work: () => void | Promise<void>): Promise<void> {
  process.on('SIGTERM', () => process.exit(143));
  process.on('SIGINT', () => process.exit(130));
  try {
    await work();
    // What was printed is written when the process exits (`log-output.ts`).
    process.exit(exitCodes.ok);
  } catch (error) {
    reportToStandardError(error);
    process.exit(toExitCode(error));
  }
}

/**
 * Reports an error of a start before there is a logger. The text of an `ExitError` or `ServiceError` is for the
 * operator: it is shown without a stack.
 */
export function reportToStandardError(error: unknown): void {
  const isExpected = error instanceof ExitError || error instanceof ServiceError;
  const text = isExpected ? describeError(error) : error instanceof Error ? error.stack : String(error);
  printText(`${text}\n`, 2);
}
