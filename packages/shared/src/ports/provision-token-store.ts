import type { Grant } from '../domain/grant.ts';
import type { Permission } from '../domain/role.ts';
import type { GrantStore } from './grant-store.ts';

/** What a script signs its requests with, as `Authorization: Bearer`. */
export interface ProvisionToken extends Grant {
  readonly permissions: readonly Permission[];
}

type ProvisionTokenChanges = Partial<Pick<ProvisionToken, 'name' | 'permissions' | 'expiresAt'>>;

export type ProvisionTokenStore = GrantStore<ProvisionToken, ProvisionTokenChanges>;
