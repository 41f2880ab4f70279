import { signal } from '@preact/signals';
import { createClient } from '@widget-service/client/client.ts';
import type { components } from '@widget-service/client/interface.ts';
import { isProblem } from '@widget-service/client/requests/failures.ts';
import { compareClocks, readServiceMs } from './service-clock.ts';

/** What the pod has written into the page. See `pages/console.ts` of the api. */
function readMeta(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}

/** The address of the console's first page, with a slash at the end: `https://example.com/prefix/console/`. */
export const consoleRoot = new URL(import.meta.env.DEV ? '/console/' : readMeta('console-root'), location.href);

/** The address of the service, with a slash at the end. */
export const serviceRoot = new URL('../', consoleRoot);

const ways = readMeta('sign-in-ways').split(' ');
/** How people sign in to this service. */
export const signInWays = { byPassword: ways.includes('password'), byIdentity: ways.includes('identity') };

/** The address of a runbook, or null if this service serves no documents. */
export function toRunbookAddress(name: string): string | null {
  return readMeta('docs') === 'on' ? new URL(`docs/runbooks/${name}`, serviceRoot).href : null;
}

/**
 * Returns the same address of the service under the origin and prefix of this page. The service names the address that
 * it has for everybody (`PUBLIC_BASE_URL`), and the content policy allows the page its own origin only.
 */
export function toOwnAddress(url: string): string {
  const { pathname, search } = new URL(url);
  const start = pathname.indexOf('/api/v1/');
  const path = start === -1 ? '' : pathname.slice(start + 1);
  return new URL(path + search, serviceRoot).href;
}

export type Schemas = components['schemas'];

/** Dispatches `signed-out` whenever a response says that this browser has no session. */
export const sessionEnds = new EventTarget();

/** Since when no request was answered, in milliseconds by the service's clock. Null while the service answers. */
export const unreachableSinceMs = signal<number | null>(null);

/** A request that takes longer counts as not answered, in milliseconds. Its answer may still come. */
const slowMs = 4_000;

/** Runs a request, and notes whether the service answers. Any answer counts, also a refusal. */
async function watchAnswer(run: () => Promise<Response>): Promise<Response> {
  const startedAtMs = Date.now();
  const note = () => {
    unreachableSinceMs.value ??= readServiceMs() - (Date.now() - startedAtMs);
  };
  const timer = setTimeout(note, slowMs);
  try {
    const response = await run();
    unreachableSinceMs.value = null;
    compareClocks(response.headers, startedAtMs, Date.now());
    return response;
  } catch (error) {
    // The page itself gives up a request whose answer nobody needs any more.
    if (!(error instanceof DOMException && error.name === 'AbortError')) note();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** As `fetch`, and notices the end of the session, wherever it ended, and whether the service answers. */
const watchedFetch: typeof globalThis.fetch = async (input, init) => {
  const response = await watchAnswer(() => fetch(input, init));
  if (response.status === 403) void noticeSignedOut(response.clone());
  return response;
};

async function noticeSignedOut(response: Response): Promise<void> {
  const body: unknown = await response.json().catch(() => null);
  if (isProblem(body) && body.code === 'not-authenticated') sessionEnds.dispatchEvent(new Event('signed-out'));
}

/** The client of the service that has sent this page. The browser keeps the session cookie. */
export const service = createClient({ baseUrl: serviceRoot.href, fetch: watchedFetch });
export const { api } = service;
