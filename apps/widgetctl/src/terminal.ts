import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { UsageError } from './failures.ts';
import { interrupt } from './interruption.ts';
import type { Output } from './output.ts';

/** Asks a person at the terminal. Nothing of a secret appears on the screen. */
export function askAtTerminal(
  stdin: Readable & { readonly isTTY?: boolean },
  output: Output,
  question: string,
  { isSecret = false } = {},
): Promise<string> {
  if (!stdin.isTTY) {
    return Promise.reject(
      new UsageError(`${question.replace(/:\s*$/, '')} is missing, and there is no terminal to ask at.`),
    );
  }
  return new Promise((resolve, reject) => {
    output.question(question);
    // With `terminal`, readline reads each key, and the terminal shows none. Otherwise the terminal itself edits the
    // line.
    const reader = createInterface({ input: stdin, terminal: isSecret });
    let isAnswered = false;
    reader.once('SIGINT', () => {
      output.note('');
      interrupt();
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
