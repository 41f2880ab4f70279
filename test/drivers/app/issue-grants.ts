import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { IntegrationMembers, ProvisionToken, Subscription } from '@widget-service/shared/entities/grant.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { type IssuedGrant, ManageGrants, type NewGrant } from '@widget-service/shared/usecases/access/manage-grants.ts';
import { plainIntegration } from './builders.ts';

type SubscriptionMembers = Pick<Subscription, 'filter'>;
type ProvisionTokenMembers = Pick<ProvisionToken, 'permissions'>;

/** No pod knows of a new grant. */
const unannounced = { control: { announce: async () => undefined }, clock: systemClock };
const byTheTests = { createdBy: crypto.randomUUID(), isSigned: false } as const;

/** Creates a subscription and its stream token through the port. Members that are not given have their defaults. */
export function issueSubscription(
  { subscriptions }: Pick<Backend, 'subscriptions'>,
  members: Partial<NewGrant<SubscriptionMembers>> = {},
): Promise<IssuedGrant<SubscriptionMembers>> {
  const manage = new ManageGrants<SubscriptionMembers>({
    grants: subscriptions,
    ...unannounced,
    kind: 'subscription',
    prefix: 'wst',
  });
  return manage.issue({ name: 'screen', filter: noFilter, expiresAt: null, ...members }, byTheTests);
}

/** Creates an integration and its hook token through the port. Members that are not given have their defaults. */
export function issueIntegration(
  { integrations }: Pick<Backend, 'integrations'>,
  members: Partial<NewGrant<IntegrationMembers>> = {},
): Promise<IssuedGrant<IntegrationMembers>> {
  const manage = new ManageGrants<IntegrationMembers>({
    grants: integrations,
    ...unannounced,
    kind: 'integration',
    prefix: 'wht',
  });
  return manage.issue({ name: 'sender', ...plainIntegration, expiresAt: null, ...members }, byTheTests);
}

/** Creates a provision token through the port. Members that are not given have their defaults. */
export function issueProvisionToken(
  { provisionTokens }: Pick<Backend, 'provisionTokens'>,
  members: Partial<NewGrant<ProvisionTokenMembers>> = {},
): Promise<IssuedGrant<ProvisionTokenMembers>> {
  const manage = new ManageGrants<ProvisionTokenMembers>({
    grants: provisionTokens,
    ...unannounced,
    kind: 'provision-token',
    prefix: 'wpt',
  });
  return manage.issue({ name: 'script', permissions: ['widgets:create'], expiresAt: null, ...members }, byTheTests);
}
