import type { EventFilter } from '../domain/event-filter.ts';
import type { Grant } from '../domain/grant.ts';
import type { GrantStore } from './grant-store.ts';

/** The right to read the event stream. */
export interface Subscription extends Grant {
  readonly filter: EventFilter;
}

type SubscriptionChanges = Partial<Pick<Subscription, 'name' | 'filter' | 'expiresAt'>>;

export type SubscriptionStore = GrantStore<Subscription, SubscriptionChanges>;
