/** What the pod has written into the page. See `register-console.ts` of the api. */
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
