import type { QueueItem } from '../../domain/queue-item.ts';
import { type WaitingByIntegration, type WaitingDeliveries, WaitingTally } from '../../domain/waiting-deliveries.ts';

const none: WaitingDeliveries = { deliveries: 0, bytes: 0 };

/**
 * The deliveries that this pod has admitted and that the last answer of the queue may lack. What was admitted before a
 * question may have been on its way to the queue when the queue counted. So it counts until the answer to the next
 * question: for a moment the sum counts too much, never too little.
 */
export class RecentAdmissions {
  readonly #sinceQuestion = new WaitingTally();
  #beforeQuestion: WaitingByIntegration = new Map();

  add(item: QueueItem): void {
    this.#sinceQuestion.add([item]);
  }

  count(integrationId: string): WaitingDeliveries {
    const since = this.#sinceQuestion.counts.get(integrationId) ?? none;
    const before = this.#beforeQuestion.get(integrationId) ?? none;
    return { deliveries: since.deliveries + before.deliveries, bytes: since.bytes + before.bytes };
  }

  /** Call it before the queue is asked, and the function that it returns once the queue has answered, or failed to. */
  startQuestion(): () => void {
    const latest = this.#sinceQuestion.drain();
    const all = new WaitingTally();
    for (const counts of [this.#beforeQuestion, latest]) all.addAll(counts);
    this.#beforeQuestion = all.counts;
    return () => {
      this.#beforeQuestion = latest;
    };
  }
}
