import type { Entity, EntityOf } from '../entities/define-entity.ts';
import { entities } from '../entities/entities.ts';
import type { Collection } from './collection.ts';
import type { ControlLog } from './control-log.ts';
import type { DeliveryLedger } from './delivery-ledger.ts';
import type { EventLog } from './event-log.ts';
import type { HookCountStore } from './hook-count-store.ts';
import type { HookQueue } from './hook-queue.ts';
import type { ProcessStates } from './process-states.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { RunRegistry } from './run-registry.ts';
import type { WidgetEffects, WidgetOutbox, WidgetStore } from './widget-store.ts';

/** A collection per entity. */
type Collections = {
  readonly [Name in keyof typeof entities]: Collection<EntityOf<(typeof entities)[Name]>>;
};

/** Returns the collection of each entity, by its name in `Backend`. */
export function mapEntities(toCollection: <T extends object>(entity: Entity<T>) => Collection<T>): Collections {
  const collections = Object.entries(entities).map(([name, entity]) => [name, toCollection(entity as Entity<object>)]);
  return Object.fromEntries(collections) as Collections;
}

/** All ports of one backend. They share its connections. */
export interface Backend extends Collections {
  readonly kind: 'embedded' | 'cluster';
  readonly widgets: WidgetStore;
  readonly effects: WidgetEffects;
  readonly outboxes: WidgetOutbox;
  readonly ledger: DeliveryLedger;
  readonly hookCounts: HookCountStore;
  readonly runs: RunRegistry;
  readonly eventLog: EventLog;
  readonly hookQueue: HookQueue;
  readonly control: ControlLog;
  readonly processStates: ProcessStates;
  readonly rateLimiter: RateLimiter;
  /**
   * Removes expired entities, dedupe marks and counts of hooks, and ledger rows past their
   * retention. On the cluster it does nothing: MongoDB and Redis remove them by themselves.
   */
  removeExpired(now: Date): Promise<void>;
  /**
   * Says why the documents and the event log do not fit together, and what to do, or returns null if they do. They do
   * not after MongoDB alone was restored from a backup: the log would skip events as already published. Throws
   * `UnavailableError`. Embedded: always null, because one file has both.
   */
  findMismatch(): Promise<string | null>;
  /** Closes every connection and file. The caller must first end all tasks and requests that use them. */
  close(): Promise<void>;
}
