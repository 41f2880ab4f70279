import { constants } from 'node:os';

/** How many reads of pipes the system has not answered. */
let waitingReads = 0;

/** Ends the process at once when Ctrl-C or a supervisor asks for it, whatever it does or waits for. */
export function endOnSignals(): void {
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      // An ordinary exit waits for all threads, so also for one that waits for a pipe. The signal itself does not.
      if (waitingReads === 0) process.exit(128 + constants.signals[name]);
      process.removeAllListeners(name);
      process.kill(process.pid, name);
    });
  }
}

/** Ctrl-C at a prompt that reads each key itself. The terminal makes no signal of it then. */
export function interrupt(): void {
  process.kill(process.pid, 'SIGINT');
}

/** Marks a read that may wait for another process, such as that of a named pipe. */
export async function whileReadingPipe<Result>(read: () => Promise<Result>): Promise<Result> {
  waitingReads += 1;
  try {
    return await read();
  } finally {
    waitingReads -= 1;
  }
}
