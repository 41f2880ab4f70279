import type { Delivery } from '../domain/delivery.ts';

/** An item of a call that the store will never accept. The store may have accepted the others. */
export interface UnstorableItem {
  readonly id: string;
  /**
   * Why, for our own logs: the store's error. It may name a code, a rule, a table or a column, but holds no value of
   * the item.
   */
  readonly cause: string;
}

/** A delivery that a store will never accept, not even alone. It had no effect. */
export interface UnstorableDelivery extends Pick<UnstorableItem, 'cause'> {
  readonly delivery: Delivery;
}
