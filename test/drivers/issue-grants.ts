import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { Integration, Subscription } from '@widget-service/shared/ports/grant-store.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import {
  type IssuedGrant,
  makeIssueToken,
  type NewGrant,
} from '@widget-service/shared/usecases/access/manage-grants.ts';

type OwnOfSubscription = Pick<Subscription, 'filter'>;
type OwnOfIntegration = Pick<Integration, 'deduplicateByContent' | 'rate'>;

/** A subscription with its stream token, made through the port; what is not chosen is as by default. */
export function issueSubscription(
  { subscriptions }: Pick<Backend, 'subscriptions'>,
  chosen: Partial<NewGrant<OwnOfSubscription>> = {},
): Promise<IssuedGrant<OwnOfSubscription>> {
  const issue = makeIssueToken<OwnOfSubscription>({ grants: subscriptions, prefix: 'wst', clock: systemClock });
  return issue({ name: 'screen', filter: noFilter, expiresAt: null, ...chosen });
}

/** The same for an integration with its hook token. */
export function issueIntegration(
  { integrations }: Pick<Backend, 'integrations'>,
  chosen: Partial<NewGrant<OwnOfIntegration>> = {},
): Promise<IssuedGrant<OwnOfIntegration>> {
  const issue = makeIssueToken<OwnOfIntegration>({ grants: integrations, prefix: 'wht', clock: systemClock });
  return issue({ name: 'sender', deduplicateByContent: true, rate: null, expiresAt: null, ...chosen });
}
