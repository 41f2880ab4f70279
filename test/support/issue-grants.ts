import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { Integration } from '@widget-service/shared/ports/integration-store.ts';
import type { Subscription } from '@widget-service/shared/ports/subscription-store.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import {
  createIssueToken,
  type IssuedGrant,
  type NewGrant,
} from '@widget-service/shared/usecases/access/issue-token.ts';

type OwnOfSubscription = Pick<Subscription, 'filter'>;
type OwnOfIntegration = Pick<Integration, 'deduplicateByContent' | 'rate'>;

/** A subscription with its stream token, made through the port; what is not chosen is as by default. */
export function issueSubscription(
  { subscriptions }: Pick<Backend, 'subscriptions'>,
  chosen: Partial<NewGrant<OwnOfSubscription>> = {},
): Promise<IssuedGrant<OwnOfSubscription>> {
  const issue = createIssueToken<OwnOfSubscription>({ grants: subscriptions, prefix: 'wst', clock: systemClock });
  return issue({ name: 'screen', filter: noFilter, expiresAt: null, ...chosen });
}

/** The same for an integration with its hook token. */
export function issueIntegration(
  { integrations }: Pick<Backend, 'integrations'>,
  chosen: Partial<NewGrant<OwnOfIntegration>> = {},
): Promise<IssuedGrant<OwnOfIntegration>> {
  const issue = createIssueToken<OwnOfIntegration>({ grants: integrations, prefix: 'wht', clock: systemClock });
  return issue({ name: 'sender', deduplicateByContent: true, rate: null, expiresAt: null, ...chosen });
}
