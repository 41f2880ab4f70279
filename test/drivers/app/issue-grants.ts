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

function issue<Members extends object>(
  grants: ConstructorParameters<typeof ManageGrants<Members>>[0]['grants'],
  kind: ConstructorParameters<typeof ManageGrants<Members>>[0]['kind'],
  members: NewGrant<Members>,
): Promise<IssuedGrant<Members>> {
  return new ManageGrants<Members>({ grants, ...unannounced, kind }).issue(members, byTheTests);
}

// Each creates a grant and its token through the port. Members that are not given have their defaults.

export const issueSubscription = (
  { subscriptions }: Pick<Backend, 'subscriptions'>,
  members: Partial<NewGrant<SubscriptionMembers>> = {},
) => {
  const given = { name: 'screen', filter: noFilter, expiresAt: null, ...members };
  return issue<SubscriptionMembers>(subscriptions, 'subscription', given);
};

export const issueIntegration = (
  { integrations }: Pick<Backend, 'integrations'>,
  members: Partial<NewGrant<IntegrationMembers>> = {},
) => {
  const given = { name: 'sender', ...plainIntegration, expiresAt: null, ...members };
  return issue<IntegrationMembers>(integrations, 'integration', given);
};

export const issueProvisionToken = (
  { provisionTokens }: Pick<Backend, 'provisionTokens'>,
  members: Partial<NewGrant<ProvisionTokenMembers>> = {},
) => {
  const given: NewGrant<ProvisionTokenMembers> = {
    ...{ name: 'script', permissions: ['widgets:create'], expiresAt: null },
    ...members,
  };
  return issue<ProvisionTokenMembers>(provisionTokens, 'provision-token', given);
};
