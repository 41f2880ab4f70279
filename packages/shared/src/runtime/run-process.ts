import { ExitError, exitCodes } from './exit-error.ts';

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

/**
 * Runs a process: starts it, waits for SIGTERM or SIGINT, stops it and exits with code 0. A signal during the start
 * takes effect after it. A second signal exits at once.
 *
 * An error of `start` or `stop`, an uncaught exception or an unhandled rejection ends the process: a new process is
 * better than a damaged one. `start` passes other fatal errors to `fail`. First `report` logs the error. Then the
 * process exits, with the code of an `ExitError`, or with 1.
 */
export async function runProcess(
  start: (fail: (error: unknown) => void) => Promise<RunningProcess>,
  report: (error: unknown) => void,
): Promise<void> {
  const fail = (error: unknown) => {
    report(error);
    // Exits one event-loop turn later, in case `report` writes asynchronously.
    setImmediate(() => process.exit(error instanceof ExitError ? error.exitCode : exitCodes.unexpected));
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  const firstSignal = waitForSignal();
  try {
    const running = await start(fail);
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
 * Reports an error of a start before there is a logger. An `ExitError` is for the operator: only its message is shown.
 */
export function reportToStandardError(error: unknown): void {
  const text = error instanceof ExitError ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${text}\n`);
}
