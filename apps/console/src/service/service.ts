import { createClient } from '@widget-service/client/client.ts';
import type { components } from '@widget-service/client/interface.ts';
import { isProblem } from '@widget-service/client/requests/problem-error.ts';
import { serviceRoot } from './page-settings.ts';

export type Schemas = components['schemas'];

type Listener = () => void;
const signedOutListeners = new Set<Listener>();

/** Calls the listener whenever a response says that this browser has no session. */
export function onSignedOut(listener: Listener): void {
  signedOutListeners.add(listener);
}

/** As `fetch`, and notices the end of the session, wherever it was ended. */
const watchedFetch: typeof globalThis.fetch = async (input, init) => {
  const response = await fetch(input, init);
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
