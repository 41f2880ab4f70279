import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { UsageError } from './failures.ts';
import type { Output, Sink } from './output.ts';

type Stdin = Readable & { readonly isTTY?: boolean };

/** The environment of a command line: streams, variables, home folder. In `main.ts`, those of the process. */
export interface Io {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Opens the standard input. What a command does not read stays unopened: it may be closed. */
  readonly stdin: () => Stdin;
  readonly stdout: Sink & { readonly isTTY?: boolean };
  readonly stderr: Sink;
  /** The home folder of the user. Throws if the user has none. */
  readonly findHome: () => string;
}

/** Asks a person. `isSecret` shows nothing of what is typed. Rejects with a `UsageError` if there is no terminal. */
export function askAtTerminal(stdin: Stdin, output: Output, question: string, isSecret: boolean): Promise<string> {
  if (!stdin.isTTY) {
    const what = question.replace(/:\s*$/, '');
    return Promise.reject(new UsageError(`${what} is missing, and there is no terminal to ask at.`));
  }
  return new Promise((resolve, reject) => {
    // With `terminal`, readline reads each key, and the terminal shows none. Otherwise the terminal itself edits the
    // line. So before the question: what is typed at once is not shown either.
    const reader = createInterface({ input: stdin, terminal: isSecret });
    output.question(question);
    let isAnswered = false;
    reader.once('SIGINT', () => {
      output.note('');
      // The terminal makes no signal of Ctrl-C while readline reads each key.
      process.kill(process.pid, 'SIGINT');
    });
    reader.once('line', (line) => {
      isAnswered = true;
      reader.close();
      resolve(line);
    });
    reader.once('close', () => {
      if (isSecret || !isAnswered) output.note('');
      if (!isAnswered) reject(new UsageError('Nothing was entered.'));
    });
  });
}

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

/** Marks a read that may wait for another process, such as that of a named pipe. */
export async function whileReadingPipe<Result>(read: () => Promise<Result>): Promise<Result> {
  waitingReads += 1;
  try {
    return await read();
  } finally {
    waitingReads -= 1;
  }
}
