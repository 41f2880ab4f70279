import { createHash } from 'node:crypto';

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
