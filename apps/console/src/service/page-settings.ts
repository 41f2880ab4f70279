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
