import { createInterface } from 'node:readline';
import { UsageError } from './failures.ts';
import { interrupt } from './interruption.ts';
import type { Printer } from './printer.ts';

/** Asks a person at the terminal. Nothing of a secret appears on the screen. */
export function askAtTerminal(printer: Printer, question: string, { isSecret = false } = {}): Promise<string> {
  if (!process.stdin.isTTY) {
    return Promise.reject(
      new UsageError(`${question.replace(/:\s*$/, '')} is missing, and there is no terminal to ask at.`),
    );
  }
  return new Promise((resolve, reject) => {
    printer.question(question);
    // With `terminal`, readline reads each key, and the terminal shows none. Otherwise the terminal itself edits the
    // line.
    const reader = createInterface({ input: process.stdin, terminal: isSecret });
    let isAnswered = false;
    reader.once('SIGINT', () => {
      printer.note('');
      interrupt();
    });
    reader.once('line', (line) => {
      isAnswered = true;
      reader.close();
      resolve(line);
    });
    reader.once('close', () => {
      if (isSecret || !isAnswered) printer.note('');
      if (!isAnswered) reject(new UsageError('Nothing was entered.'));
    });
  });
}
