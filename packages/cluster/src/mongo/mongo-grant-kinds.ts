import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { Integration } from '@widget-service/shared/ports/integration-store.ts';
import type { ProvisionToken } from '@widget-service/shared/ports/provision-token-store.ts';
import type { Subscription } from '@widget-service/shared/ports/subscription-store.ts';
import { collectionNames } from './indexes.ts';
import type { GrantKind } from './mongo-grant-store.ts';

export const subscriptionKind: GrantKind<Pick<Subscription, 'filter'>> = {
  collection: collectionNames.subscriptions,
  what: 'a subscription',
  read: ({ filter }) => ({ filter: { ...noFilter, ...(filter as Partial<Subscription['filter']> | undefined) } }),
};

export const integrationKind: GrantKind<Pick<Integration, 'deduplicateByContent' | 'rate'>> = {
  collection: collectionNames.integrations,
  what: 'an integration',
  read: ({ deduplicateByContent, rate = null }) => ({
    deduplicateByContent: deduplicateByContent as boolean,
    rate: rate as number | null,
  }),
};

export const provisionTokenKind: GrantKind<Pick<ProvisionToken, 'permissions'>> = {
  collection: collectionNames.provisionTokens,
  what: 'a provision token',
  read: ({ permissions }) => ({ permissions: permissions as ProvisionToken['permissions'] }),
};
