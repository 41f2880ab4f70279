import type { Page } from '../parts/paged-list.tsx';
import { api, type Schemas } from '../service/service.ts';

/** What a token gives access to: a stream, an address for hooks, or the creation of widgets. */
export type Grant = Schemas['Subscription'] | Schemas['Integration'] | Schemas['ProvisionToken'];

/** A grant together with its secrets, which only the answer to a create or a rotation has. */
export interface IssuedGrant {
  readonly id: string;
  readonly name: string;
  readonly token: string;
  /** By the clock of the service. */
  readonly tokenIssuedAt: string;
  readonly url?: string;
  readonly signingSecret?: string;
  readonly previousExpiresAt?: string | null;
}

export type GrantPath = '/api/v1/subscriptions' | '/api/v1/integrations' | '/api/v1/provision-tokens';

/** `search`: a part of the name, or an empty text for all. */
export const readGrants = (path: GrantPath, page: number, search: string, signal: AbortSignal): Promise<Page<Grant>> =>
  api.GET(path, { params: { query: { page, pageSize: 200, ...(search === '' ? {} : { name: search }) } }, signal });

export const rotateGrant = (path: GrantPath, id: string, overlapSeconds: number): Promise<IssuedGrant> =>
  api.POST(`${path}/{id}/rotate`, { params: { path: { id } }, body: { overlapSeconds } });

/** Rotates an integration with a foreign sender: only with the old URL could the service read its secrets. */
export const rotateSource = (id: string, overlapSeconds: number, secrets: string[]): Promise<IssuedGrant> =>
  api.POST('/api/v1/integrations/{id}/rotate', { params: { path: { id } }, body: { overlapSeconds, secrets } });

/** Rotates an integration so that its hooks must be signed from now on. */
export const rotateToSigned = (id: string, overlapSeconds: number): Promise<IssuedGrant> =>
  api.POST('/api/v1/integrations/{id}/rotate', {
    params: { path: { id } },
    body: { overlapSeconds, signature: 'standard-webhooks' },
  });

/** Ends the secret from before the last rotation. */
export const endOldSecret = (path: GrantPath, id: string): Promise<unknown> =>
  api.DELETE(`${path}/{id}/previous-token`, { params: { path: { id } } });

/** Whether the secret from before the last rotation works. */
export function hasOldSecret({ previousExpiresAt }: Grant, nowMs: number): boolean {
  return previousExpiresAt !== null && Date.parse(previousExpiresAt) > nowMs;
}

export const revokeGrant = (path: GrantPath, id: string): Promise<unknown> =>
  api.DELETE(`${path}/{id}`, { params: { path: { id } } });
