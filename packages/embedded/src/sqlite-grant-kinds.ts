import type { EventFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { Permission } from '@widget-service/shared/domain/role.ts';
import type { Integration } from '@widget-service/shared/ports/integration-store.ts';
import type { ProvisionToken } from '@widget-service/shared/ports/provision-token-store.ts';
import type { Subscription } from '@widget-service/shared/ports/subscription-store.ts';
import type { GrantKind } from './sqlite-grant-store.ts';

export const subscriptionKind: GrantKind<Pick<Subscription, 'filter'>> = {
  table: 'subscriptions',
  columns: ['filter'],
  write: ({ filter }) => [JSON.stringify(filter)],
  read: (row) => ({ filter: filterOf(row.filter as string) }),
};

export const integrationKind: GrantKind<Pick<Integration, 'deduplicateByContent' | 'rate'>> = {
  table: 'integrations',
  columns: ['deduplicate_by_content', 'rate'],
  write: ({ deduplicateByContent, rate }) => [deduplicateByContent ? 1 : 0, rate],
  read: (row) => ({ deduplicateByContent: row.deduplicate_by_content === 1, rate: row.rate as number | null }),
};

export const provisionTokenKind: GrantKind<Pick<ProvisionToken, 'permissions'>> = {
  table: 'provision_tokens',
  columns: ['permissions'],
  write: ({ permissions }) => [JSON.stringify(permissions)],
  read: (row) => ({ permissions: JSON.parse(row.permissions as string) as Permission[] }),
};

function filterOf(text: string): EventFilter {
  const { types = null, widgetIds = null, states = null, labels = null } = JSON.parse(text) as Partial<EventFilter>;
  return { types, widgetIds, states, labels };
}
