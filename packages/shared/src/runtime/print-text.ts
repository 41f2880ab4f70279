import { getLogOutput } from './log-output.ts';
import { escapeControlsInLines } from './printable-text.ts';

/**
 * Prints a text for the person who started the process, on standard output (1) or standard error (2). A text may hold
 * foreign parts, such as the message of a store: its control characters are escaped, except line feeds. Like a log
 * line, it never blocks or ends the process. `text` ends with a line feed.
 */
export function printText(text: string, descriptor: 1 | 2 = 1): void {
  getLogOutput(descriptor).write(escapeControlsInLines(text));
}
