import { format } from 'node:util';

const methods = ['debug', 'error', 'info', 'log', 'warn'] as const;
/** A text that names a moment or a number would otherwise be kept for ever, in each of its forms. */
const textsMax = 100;

/**
 * Sends what a library prints by `console` to the log, so that every line of the output is one of ours. Each text comes
 * once per process: ioredis prints one per connection.
 */
export function captureConsole(warn: (fields: object, text: string) => void): void {
  const seen = new Set<string>();
  for (const method of methods) {
    console[method] = (...values: unknown[]) => {
      const text = format(...values);
      if (seen.has(text) || seen.size >= textsMax) return;
      seen.add(text);
      warn({ method }, `console: ${text}`);
    };
  }
}
