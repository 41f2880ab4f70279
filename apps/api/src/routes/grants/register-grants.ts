import type { ZodApp } from '../../http/zod-app.ts';
import { registerChangeGrant } from './change-grant.ts';
import { registerCreateGrant } from './create-grant.ts';
import { registerGetGrant } from './get-grant.ts';
import type { GrantResource, GrantRouteDeps } from './grant-resource.ts';
import { registerListGrants } from './list-grants.ts';
import { registerRevokeGrant } from './revoke-grant.ts';
import { registerRotateGrant } from './rotate-grant.ts';

/** The six operations of one kind of grant. */
export function registerGrants<Own extends object>(
  app: ZodApp,
  resource: GrantResource<Own>,
  deps: GrantRouteDeps<Own>,
): void {
  registerListGrants(app, resource, deps);
  registerCreateGrant(app, resource, deps);
  registerGetGrant(app, resource, deps);
  registerChangeGrant(app, resource, deps);
  registerRotateGrant(app, resource, deps);
  registerRevokeGrant(app, resource, deps);
}
