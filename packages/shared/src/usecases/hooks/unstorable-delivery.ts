import type { Delivery } from '../../domain/delivery.ts';

/** A delivery that a store will never accept, not even alone. It had no effect. */
export interface UnstorableDelivery {
  readonly delivery: Delivery;
  /** Why, for our own logs: see `UnstorableItem`. */
  readonly cause: string;
}
