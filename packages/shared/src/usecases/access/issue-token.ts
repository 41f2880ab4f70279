import { noFilter } from '../../domain/event-filter.ts';
import { digestOf, mintToken } from '../../domain/token.ts';
import { createUuidV7 } from '../../domain/uuid.ts';
import type { Integration, IntegrationStore } from '../../ports/integration-store.ts';
import type { Subscription, SubscriptionStore } from '../../ports/subscription-store.ts';
import type { Clock } from '../../runtime/clock.ts';

export interface IssuedSubscription {
  readonly subscription: Subscription;
  /** The secret, to be shown once: only its digest is stored. */
  readonly token: string;
}

/** Creates a subscription together with its stream token. */
export function createIssueSubscription(deps: {
  readonly subscriptions: Pick<SubscriptionStore, 'insert'>;
  readonly clock: Pick<Clock, 'now'>;
}) {
  return async (chosen: Pick<Subscription, 'name'>): Promise<IssuedSubscription> => {
    const token = mintToken('wst');
    const subscription = {
      id: createUuidV7(),
      name: chosen.name,
      filter: noFilter,
      token: { digest: digestOf(token), sealedSecret: null },
      previousToken: null,
      expiresAt: null,
      createdAt: deps.clock.now(),
      lastUsedAt: null,
    };
    await deps.subscriptions.insert(subscription);
    return { subscription, token };
  };
}

export interface IssuedIntegration {
  readonly integration: Integration;
  /** The secret, to be shown once: only its digest is stored. */
  readonly token: string;
}

/** Creates an integration together with its hook token. */
export function createIssueIntegration(deps: {
  readonly integrations: Pick<IntegrationStore, 'insert'>;
  readonly clock: Pick<Clock, 'now'>;
}) {
  return async (chosen: Pick<Integration, 'name' | 'deduplicateByContent'>): Promise<IssuedIntegration> => {
    const token = mintToken('wht');
    const integration = {
      id: createUuidV7(),
      name: chosen.name,
      deduplicateByContent: chosen.deduplicateByContent,
      rate: null,
      token: { digest: digestOf(token), sealedSecret: null },
      previousToken: null,
      expiresAt: null,
      createdAt: deps.clock.now(),
      lastUsedAt: null,
    };
    await deps.integrations.insert(integration);
    return { integration, token };
  };
}
