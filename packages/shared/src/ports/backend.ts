import type { ControlLog } from './control-log.ts';
import type { DeliveryLedger } from './delivery-ledger.ts';
import type { EventLog } from './event-log.ts';
import type { IntegrationStore, ProvisionTokenStore, SubscriptionStore } from './grant-store.ts';
import type { HookQueue } from './hook-queue.ts';
import type { PersonalStreamStore } from './personal-stream-store.ts';
import type { QuarantineStore } from './quarantine-store.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { RunRegistry } from './run-registry.ts';
import type { SessionStore } from './session-store.ts';
import type { UserStore } from './user-store.ts';
import type { WidgetEffects } from './widget-effects.ts';
import type { WidgetOutbox } from './widget-outbox.ts';
import type { WidgetStore } from './widget-store.ts';

/** Every port of one backend, on one set of connections. */
export interface Backend {
  readonly kind: 'embedded' | 'cluster';
  readonly widgets: WidgetStore;
  readonly effects: WidgetEffects;
  readonly outboxes: WidgetOutbox;
  readonly ledger: DeliveryLedger;
  readonly quarantine: QuarantineStore;
  readonly runs: RunRegistry;
  readonly eventLog: EventLog;
  readonly hookQueue: HookQueue;
  readonly control: ControlLog;
  readonly rateLimiter: RateLimiter;
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly personalStreams: PersonalStreamStore;
  readonly subscriptions: SubscriptionStore;
  readonly integrations: IntegrationStore;
  readonly provisionTokens: ProvisionTokenStore;
  /**
   * Removes what is over: sessions and personal streams past their end, ledger rows past their retention. On the
   * cluster MongoDB does this by itself, and the call does nothing.
   */
  removeExpired(now: Date): Promise<void>;
  /** Closes every connection and file. The tasks and requests that use them must have ended before. */
  close(): Promise<void>;
}
