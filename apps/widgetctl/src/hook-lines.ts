import { createHash } from 'node:crypto';
import type { HookEvent } from '@widget-service/client/hooks/hook-sender.ts';
import type { Line } from './decode-lines.ts';
import { UsageError } from './exit-codes.ts';
import { parseJsonObject } from './json-object.ts';
import { RepeatedLines } from './repeated-lines.ts';

/** A hook of a file. */
export interface FileHook {
  readonly line: number;
  readonly id: string;
  readonly event: HookEvent;
}

/**
 * Reads hooks from lines of JSON. Members that no hook has are ignored, so lines of `deliveries get --json` will do.
 */
export async function* parseHooks(lines: AsyncIterable<Line>, source: string): AsyncGenerator<FileHook, void, void> {
  const repeated = new RepeatedLines();
  for await (const { number, text } of lines) {
    if (text.trim() === '') continue;
    const parsed = parseJsonObject(text);
    if (parsed === null) throw new UsageError(`${source}, line ${number}: it is not a JSON object.`);
    const { id, kind, occurredAt, widgetId, payload } = parsed;
    const event = { kind, occurredAt, widgetId, payload } as HookEvent;
    yield { line: number, id: typeof id === 'string' ? id : makeId(text, repeated.count(text)), event };
  }
}

/** The same line makes the same id, in every run. The same line again in one file is another hook. */
function makeId(text: string, repetition: number): string {
  return `replay-${createHash('sha256').update(`${repetition} ${text}`).digest('hex').slice(0, 32)}`;
}
