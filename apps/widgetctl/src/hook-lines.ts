import { createHash } from 'node:crypto';
import type { HookEvent } from '@widget-service/client/hooks/hook-sender.ts';
import { parseExactObject } from '@widget-service/client/json/exact-json.ts';
import type { Line } from './decode-lines.ts';
import { UsageError } from './failures.ts';

/** A hook of a file. */
export interface FileHook {
  readonly line: number;
  readonly id: string;
  readonly event: HookEvent;
}

/**
 * Reads hooks from lines of JSON. Members that no hook has are ignored.
 *
 * A line of `deliveries get --json` does not say with which `webhook-id` it came, so it can only become a second event.
 * It is refused unless `acceptsDeliveries`.
 */
export async function* parseHooks(
  lines: AsyncIterable<Line>,
  source: string,
  acceptsDeliveries: boolean,
): AsyncGenerator<FileHook, void, void> {
  const repeated = new RepeatedLines();
  for await (const { number, text } of lines) {
    if (text.trim() === '') continue;
    const parsed = parseExactObject(text);
    if (parsed === null) throw new UsageError(`${source}, line ${number}: it is not a JSON object.`);
    const { id, eventId, kind, occurredAt, widgetId, payload } = parsed;
    const isDelivery = typeof id !== 'string' && typeof eventId === 'string';
    if (isDelivery && !acceptsDeliveries) {
      throw new UsageError(
        `${source}, line ${number}: it is a delivery, which the service has had. Sent again, it takes effect a second time. ` +
          'To process dead deliveries: widgetctl deliveries redrive. To send it as a new event: --as-new.',
      );
    }
    const event = { kind, occurredAt, widgetId, payload } as HookEvent;
    const ownId = isDelivery ? `replay-${eventId}` : id;
    yield { line: number, id: typeof ownId === 'string' ? ownId : makeId(text, repeated.count(text)), event };
  }
}

/** The same line makes the same id, in every run. The same line again in one file is another hook. */
function makeId(text: string, repetition: number): string {
  return `replay-${createHash('sha256').update(`${repetition} ${text}`).digest('hex').slice(0, 32)}`;
}

/**
 * Counts how often each text has come. It keeps 64 bits of a hash of each, in arrays of numbers: a Map of ten million
 * texts would need more than a gigabyte.
 */
export class RepeatedLines {
  #hashes = new Uint32Array(2 * 1_024);
  #used = 0;
  /** Only of texts that have come more than once. */
  readonly #repetitions = new Map<bigint, number>();

  /** Returns how often the text has come before. */
  count(text: string): number {
    const digest = createHash('sha256').update(text).digest();
    // An empty place is 0 and 0, so the first half is never 0.
    const [first, second] = [digest.readUInt32LE(0) || 1, digest.readUInt32LE(4)];
    if (this.#insert(first, second)) return 0;
    const key = (BigInt(first) << 32n) | BigInt(second);
    const repetition = (this.#repetitions.get(key) ?? 0) + 1;
    this.#repetitions.set(key, repetition);
    return repetition;
  }

  /** Returns false if it is there already. */
  #insert(first: number, second: number): boolean {
    if (this.#used * 4 > this.#hashes.length) this.#grow();
    const places = this.#hashes.length / 2;
    for (let place = second % places; ; place = (place + 1) % places) {
      const found = this.#hashes[2 * place];
      if (found === first && this.#hashes[2 * place + 1] === second) return false;
      if (found !== 0) continue;
      this.#hashes[2 * place] = first;
      this.#hashes[2 * place + 1] = second;
      this.#used += 1;
      return true;
    }
  }

  #grow(): void {
    const old = this.#hashes;
    this.#hashes = new Uint32Array(old.length * 2);
    this.#used = 0;
    for (let index = 0; index < old.length; index += 2) {
      if (old[index] !== 0) this.#insert(old[index] ?? 0, old[index + 1] ?? 0);
    }
  }
}
