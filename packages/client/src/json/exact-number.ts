/** A number of a JSON text, with the digits that it has there. */
export class ExactNumber {
  readonly #digits: string;

  constructor(digits: string) {
    this.#digits = digits;
  }

  /** The digits as they came. */
  toString(): string {
    return this.#digits;
  }

  /** The nearest JavaScript number. */
  valueOf(): number {
    return Number(this.#digits);
  }

  /** `JSON.stringify` keeps the digits where the runtime can, as Node 22 does, and else takes the nearest number. */
  toJSON(): unknown {
    const { rawJSON } = JSON as { readonly rawJSON?: (text: string) => unknown };
    return rawJSON === undefined ? Number(this.#digits) : rawJSON(this.#digits);
  }
}
