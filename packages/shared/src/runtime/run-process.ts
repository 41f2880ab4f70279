import { ExitError, exitCodes } from './exit-error.ts';

export interface RunningProcess {
  /** How long a stop may take. A process that takes longer is ended. */
  readonly stopMaxMs: number;
  /**
   * Stops in good order: what was begun is finished or handed back. `isHurried` after SIGINT: a person waits at a
   * terminal, and no load balancer has to notice.
   */
  stop(isHurried: boolean): Promise<void>;
}

/** npm passes on the Ctrl-C that the terminal has sent to everyone in it: the same signal again so soon is the same. */
const sameSignalMs = 1_000;

/**
 * The life of a process: start, run until SIGTERM or SIGINT, stop, exit. A second signal ends it at once. What fails
 * unexpectedly, also outside any request, ends it with code 1: a fresh process is better than a damaged one.
 */
export async function runProcess(
  start: (fail: (error: unknown) => void) => Promise<RunningProcess>,
  report: (error: unknown) => void,
): Promise<void> {
  const fail = (error: unknown) => {
    report(error);
    // The log line is written by then: standard output is synchronous for files and terminals, and pipes get a turn.
    setImmediate(() => process.exit(error instanceof ExitError ? error.exitCode : exitCodes.unexpected));
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  const stopAsked = firstSignal();
  try {
    const running = await start(fail);
    const signal = await stopAsked;
    const { stopMaxMs } = running;
    const deadline = setTimeout(() => fail(new Error(`did not stop within ${stopMaxMs} ms`)), stopMaxMs);
    await running.stop(signal === 'SIGINT');
    clearTimeout(deadline);
    process.exit(exitCodes.ok);
  } catch (error) {
    fail(error);
  }
}

/** The signal that asks for a stop. Whoever asks again, or otherwise, does not want to wait. */
function firstSignal(): Promise<NodeJS.Signals> {
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

/** For a start that fails before there is a logger: an error meant for the operator is shown by its message alone. */
export function reportToStandardError(error: unknown): void {
  const text = error instanceof ExitError ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${text}\n`);
}
