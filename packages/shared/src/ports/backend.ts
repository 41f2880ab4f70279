import type { StoredAuditEvent } from '../entities/audit-event.ts';
import type { Integration, ProvisionToken, Subscription } from '../entities/grant.ts';
import type { QuarantinedText } from '../entities/quarantined-text.ts';
import type { HookRefusal, HookSample } from '../entities/refused-request.ts';
import type { ServiceKey } from '../entities/service-key.ts';
import type { Session } from '../entities/session.ts';
import type { User } from '../entities/user.ts';
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

/** All ports of one backend. They share its connections. */
export interface Backend {
  readonly kind: 'embedded' | 'cluster';
  readonly widgets: WidgetStore;
  readonly effects: WidgetEffects;
  readonly outboxes: WidgetOutbox;
  readonly ledger: DeliveryLedger;
  readonly quarantine: Collection<QuarantinedText>;
  readonly refusals: Collection<HookRefusal>;
  readonly samples: Collection<HookSample>;
  readonly hookCounts: HookCountStore;
  readonly runs: RunRegistry;
  readonly eventLog: EventLog;
  readonly hookQueue: HookQueue;
  readonly control: ControlLog;
  readonly processStates: ProcessStates;
  readonly rateLimiter: RateLimiter;
  readonly users: Collection<User>;
  readonly sessions: Collection<Session>;
  readonly subscriptions: Collection<Subscription>;
  readonly integrations: Collection<Integration>;
  readonly provisionTokens: Collection<ProvisionToken>;
  readonly auditEvents: Collection<StoredAuditEvent>;
  readonly serviceKeys: Collection<ServiceKey>;
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
