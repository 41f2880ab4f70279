/**
 * The numbers of partitions this deployment has had, in the order they were introduced. Kept outside Redis, because it
 * is what tells which queues there are.
 */
export interface PartitionList {
  /** Puts `count` at the end unless it stands there already; returns the list. */
  ensureListed(count: number): Promise<number[]>;
  read(): Promise<number[]>;
}

/** The list as this process knows it: there also while its store is away. */
export class PartitionCounts {
  readonly #list: PartitionList;
  #counts: readonly number[];

  constructor(list: PartitionList, counts: readonly number[]) {
    this.#list = list;
    this.#counts = counts;
  }

  /** What new batches are spread over. */
  get newest(): number {
    return this.#counts.at(-1) ?? 1;
  }

  /** Every number there ever was, once. */
  get all(): readonly number[] {
    return [...new Set(this.#counts)];
  }

  async refresh(): Promise<void> {
    const counts = await this.#list.read();
    if (counts.length > 0) this.#counts = counts;
  }
}
