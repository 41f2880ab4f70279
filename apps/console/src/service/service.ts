import { createClient } from '@widget-service/client/client.ts';
import type { components } from '@widget-service/client/interface.ts';
import { isProblem } from '@widget-service/client/requests/failures.ts';
import { serviceRoot, toOwnAddress } from './page-settings.ts';
import { watchAnswer } from './reachability.ts';

export type Schemas = components['schemas'];

type Listener = () => void;
const signedOutListeners = new Set<Listener>();

/** Calls the listener whenever a response says that this browser has no session. */
export function onSignedOut(listener: Listener): void {
  signedOutListeners.add(listener);
}

/**
 * As `fetch`, and notices the end of the session, wherever it ended, and whether the service answers. Streams use the
 * address of this page.
 */
const watchedFetch: typeof globalThis.fetch = async (input, init) => {
  const isStream = typeof input === 'string' && input.includes('/api/v1/events/');
  const response = await watchAnswer(() => fetch(isStream ? toOwnAddress(input) : input, init));
  if (response.status === 403) void noticeSignedOut(response.clone());
  return response;
};

async function noticeSignedOut(response: Response): Promise<void> {
  const body: unknown = await response.json().catch(() => null);
  if (isProblem(body) && body.code === 'not-authenticated') for (const listener of signedOutListeners) listener();
}

/** The client of the service that has sent this page. The browser keeps the session cookie. */
export const service = createClient({ baseUrl: serviceRoot.href, fetch: watchedFetch });
export const { api } = service;
