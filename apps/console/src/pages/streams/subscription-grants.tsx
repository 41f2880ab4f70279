import type { GrantKind } from '../../grants/grant-actions.tsx';
import { showNewUrl } from './held-stream.ts';
import { ChangeSubscription } from './subscription-form.tsx';

/** Subscriptions as grants: what their list and their page have in common. */
export const subscriptionGrants: GrantKind = {
  path: '/api/v1/subscriptions',
  renderChange: (grant, close, onChanged) =>
    'filter' in grant ? <ChangeSubscription subscription={grant} onChanged={onChanged} onClose={close} /> : null,
  onIssued: showNewUrl,
};
