import type { GrantKind } from '../../grants/grant-actions.tsx';
import { handOver } from './hand-over/held-secrets.ts';
import { ChangeIntegration } from './integration-form.tsx';

/** Integrations as grants: what their list and their page have in common. */
export const integrationGrants: GrantKind = {
  path: '/api/v1/integrations',
  renderChange: (grant, close, onChanged) =>
    'signature' in grant ? <ChangeIntegration integration={grant} onChanged={onChanged} onClose={close} /> : null,
  onIssued: ({ url = '', ...issued }, grant) =>
    handOver({ ...issued, url }, { hasSource: grant !== null && 'source' in grant && grant.source !== null }),
};
