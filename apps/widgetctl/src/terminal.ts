import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { UsageError } from './exit-codes.ts';

/** Asks a person at the terminal. Nothing of a secret appears on the screen. */
export function askAtTerminal(question: string, { isSecret = false } = {}): Promise<string> {
  if (!process.stdin.isTTY) {
    return Promise.reject(
      new UsageError(`${question.replace(/:\s*$/, '')} is missing, and there is no terminal to ask at.`),
    );
  }
  return new Promise((resolve, reject) => {
    process.stderr.write(question);
    // readline writes what is typed to its output. Without one, the terminal shows it only if it echoes by itself.
    const reader = createInterface({
      input: process.stdin,
      terminal: isSecret,
      ...(isSecret ? {} : { output: process.stderr }),
    });
    let isAnswered = false;
    reader.once('line', (line) => {
      isAnswered = true;
      reader.close();
      resolve(line);
    });
    reader.once('close', () => {
      if (isSecret) process.stderr.write('\n');
      if (!isAnswered) reject(new UsageError('Nothing was entered.'));
    });
  });
}

export const readStandardInput = (): Promise<string> => text(process.stdin);
