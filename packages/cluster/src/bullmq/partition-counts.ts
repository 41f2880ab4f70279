/**
 * Every value of `HOOK_PARTITIONS` that this deployment has had, oldest first. New jobs use the newest count; workers
 * consume the queues of all counts, so a change of the setting leaves no hook behind. The list is in MongoDB, because
 * Redis may lose its data.
 *
 * This is the copy of one process, which stays usable while MongoDB is unavailable. `openCluster` lists the value of
 * `HOOK_PARTITIONS` at startup; the queue and the consumer refresh the copy regularly.
 */
export class PartitionCounts {
  readonly #read: () => Promise<readonly number[]>;
  #counts: readonly number[];

  constructor(counts: readonly number[], read: () => Promise<readonly number[]>) {
    this.#counts = counts;
    this.#read = read;
  }

  /** The number of partitions for new jobs. 1 if the list is empty. */
  get newest(): number {
    return this.#counts.at(-1) ?? 1;
  }

  /** Every count ever listed, once each. */
  get all(): readonly number[] {
    return [...new Set(this.#counts)];
  }

  /** Reads the list again. Keeps the current list if the stored one is empty. Rejects with `UnavailableError`. */
  async refresh(): Promise<void> {
    const counts = await this.#read();
    if (counts.length > 0) this.#counts = counts;
  }
}
